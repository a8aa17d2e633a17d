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

static PyObject *evaluate_(PyObject *self, PyObject *arguments) {
    (void)self;
    position at;
    int black;
    if (!PyArg_ParseTuple(arguments, "KKKp", &at.own, &at.other, &at.kings, &black)) return NULL;
    if (!network_ready()) {
        PyErr_SetString(PyExc_ValueError, "no weights have been loaded");
        return NULL;
    }
    return PyLong_FromLong(network_evaluate(at, black));
}

PyMethodDef network_methods[] = {
    {"network_load", load, METH_VARARGS,
     "network_load(weights: bytes)\n\nTake over the weights of the evaluation; a ValueError says what is wrong."},
    {"network_unload", unload, METH_NOARGS, "network_unload()\n\nEvaluate by hand again."},
    {"network_ready", ready, METH_NOARGS, "network_ready() -> bool\n\nWhether the evaluation is the learnt one."},
    {"network_evaluate", evaluate_, METH_VARARGS,
     "network_evaluate(own, other, kings, black) -> int\n\n"
     "What the network makes of a quiet position of any number of pieces; ValueError without weights."},
    {NULL, NULL, 0, NULL},
};
