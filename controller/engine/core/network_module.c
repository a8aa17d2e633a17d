/* What Python calls of the learnt evaluation. */
#include "python.h"

#include "network.h"

static PyObject *load(PyObject *self, PyObject *arguments) {
    (void)self;
    const char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(arguments, "y#", &bytes, &size)) return NULL;
    if (network_load((const unsigned char *)bytes, (size_t)size) < 0) {
        PyErr_SetString(PyExc_ValueError, "these are not the weights of an evaluation network");
        return NULL;
    }
    Py_RETURN_NONE;
}

PyMethodDef network_methods[] = {
    {"network_load", load, METH_VARARGS, "network_load(weights: bytes)\n\nTake over the weights of the evaluation."},
    {NULL, NULL, 0, NULL},
};
