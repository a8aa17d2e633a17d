/* What Python calls of the learnt evaluation. */
#include "python.h"

#include "network.h"

static PyObject *load(PyObject *self, PyObject *arguments) {
    (void)self;
    const char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(arguments, "y#", &bytes, &size)) return NULL;
    static const char *const faults[] = {
        [NETWORK_FOREIGN] = "it does not hold the weights of an evaluation",
        [NETWORK_OTHER_VERSION] = "its weights are made for another version of the engine",
        [NETWORK_DAMAGED] = "it is damaged",
    };
    enum network_fault fault = network_load((const unsigned char *)bytes, (size_t)size);
    if (fault != NETWORK_FINE) {
        PyErr_SetString(PyExc_ValueError, faults[fault]);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *unload(PyObject *self, PyObject *arguments) {
    (void)self, (void)arguments;
    network_unload();
    Py_RETURN_NONE;
}

static PyObject *ready(PyObject *self, PyObject *arguments) {
    (void)self, (void)arguments;
    return PyBool_FromLong(network_ready());
}

PyMethodDef network_methods[] = {
    {"network_load", load, METH_VARARGS,
     "network_load(weights: bytes)\n\nTake over the weights of the evaluation; a ValueError says what is wrong."},
    {"network_unload", unload, METH_NOARGS, "network_unload()\n\nEvaluate by hand again."},
    {"network_ready", ready, METH_NOARGS, "network_ready() -> bool\n\nWhether the evaluation is the learnt one."},
    {NULL, NULL, 0, NULL},
};
