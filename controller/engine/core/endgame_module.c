/* What Python calls of the endgame tables. */
#include "python.h"

#include "endgame.h"

static PyObject *value(PyObject *self, PyObject *arguments) {
    (void)self;
    position at;
    int black;
    if (!PyArg_ParseTuple(arguments, "KKKp", &at.own, &at.other, &at.kings, &black)) return NULL;
    int found = endgame_value(at, black);
    if (found == ENDGAME_UNKNOWN) Py_RETURN_NONE;
    return PyLong_FromLong(found);
}

PyMethodDef endgame_methods[] = {
    {"endgame_value", value, METH_VARARGS,
     "endgame_value(own, other, kings, black) -> int | None\n\n"
     "Plies to a win, minus the plies to a loss, 0 for a draw; None when no table has the position."},
    {NULL, NULL, 0, NULL},
};
