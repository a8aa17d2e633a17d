/* What Python calls of the rules. */
#include "python.h"

#include "moves.h"

static PyObject *successors_(PyObject *self, PyObject *arguments) {
    (void)self;
    position at, next[MOST_MOVES];
    int black;
    if (!PyArg_ParseTuple(arguments, "KKKp", &at.own, &at.other, &at.kings, &black)) return NULL;
    int moves = successors(at, black, next);
    PyObject *found = PyList_New(moves);
    for (int i = 0; found && i < moves; i++) {
        PyObject *state = Py_BuildValue("KKK", next[i].own, next[i].other, next[i].kings);
        if (!state || PyList_SetItem(found, i, state) < 0) {
            Py_DECREF(found);
            return NULL;
        }
    }
    return found;
}

static PyObject *perft_(PyObject *self, PyObject *arguments) {
    (void)self;
    position at;
    int black, depth, merged;
    if (!PyArg_ParseTuple(arguments, "KKKpip", &at.own, &at.other, &at.kings, &black, &depth, &merged)) return NULL;
    if (depth < 0) {
        PyErr_SetString(PyExc_ValueError, "the depth must not be negative");
        return NULL;
    }
    uint64_t total;
    Py_BEGIN_ALLOW_THREADS
    total = perft(at, black, depth, merged);
    Py_END_ALLOW_THREADS
    return PyLong_FromUnsignedLongLong(total);
}

PyMethodDef rules_methods[] = {
    {"successors", successors_, METH_VARARGS,
     "successors(own, other, kings, black) -> list[tuple[int, int, int]]\n\n"
     "The states after each legal move, seen from the opponent; as in controller.draughts.bitboard."},
    {"perft", perft_, METH_VARARGS,
     "perft(own, other, kings, black, depth, merged) -> int\n\n"
     "The number of sequences of legal moves; routes with the same result are counted once if merged."},
    {NULL, NULL, 0, NULL},
};
