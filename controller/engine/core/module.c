/* The extension controller.engine._core. */
#include "python.h"

static int add_methods(PyObject *module) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    if (!__builtin_cpu_supports("popcnt") || !__builtin_cpu_supports("sse4.2")) {
        PyErr_SetString(PyExc_ImportError, "this processor is older than the compiled engine needs");
        return -1;
    }
#endif
    PyMethodDef *parts[] = {rules_methods, endgame_methods, network_methods, search_methods};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (PyModule_AddFunctions(module, parts[i]) < 0) return -1;
    return 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, add_methods}, {0, NULL}};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "controller.engine._core",
    .m_doc = "The compiled part of the engine: move generation, search, evaluation and endgame tables.",
    .m_size = 0,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
