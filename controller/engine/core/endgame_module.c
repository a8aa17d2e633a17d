/* What Python calls of the endgame tables. */
#include "python.h"

#include "endgame.h"
#include "endgame_build.h"

/* What holds the bytes of the tables that are set. */
static Py_buffer holders[MATERIALS];

static void hold(material pieces, Py_buffer *bytes) {
    Py_buffer before = holders[material_number(pieces)];
    holders[material_number(pieces)] = *bytes;
    if (before.obj) PyBuffer_Release(&before);
}

/* The pieces that four counts name; an error unless each side has one and a table could hold them. */
static bool read_pieces(const unsigned char counts[4], material *pieces) {
    int own = counts[0] + counts[1], other = counts[2] + counts[3];
    if (!own || !other || own + other > ENDGAME_MOST_PIECES) {
        PyErr_Format(PyExc_ValueError, "each side needs a piece, and there can be at most %d", ENDGAME_MOST_PIECES);
        return false;
    }
    *pieces = (material){counts[0], counts[1], counts[2], counts[3]};
    return true;
}

/* The bytes of `object`, which must be as many as the table of `pieces` has. */
static bool take_bytes(PyObject *object, material pieces, bool two_bits, int flags, Py_buffer *bytes) {
    if (PyObject_GetBuffer(object, bytes, flags) < 0) return false;
    uint64_t wanted = table_bytes(extents_of(pieces), two_bits);
    if ((uint64_t)bytes->len == wanted) return true;
    PyErr_Format(PyExc_ValueError, "that table has %llu bytes, not %zd", (unsigned long long)wanted, bytes->len);
    PyBuffer_Release(bytes);
    return false;
}

/* The position that Python's four arguments are. */
static bool read_position(PyObject *arguments, position *at, int *black) {
    if (!PyArg_ParseTuple(arguments, "KKKp", &at->own, &at->other, &at->kings, black)) return false;
    if (!((at->own | at->other) & ~BOARD || at->own & at->other || at->kings & ~(at->own | at->other))) return true;
    PyErr_SetString(PyExc_ValueError, "these boards are no position");
    return false;
}

static PyObject *value(PyObject *self, PyObject *arguments) {
    (void)self;
    position at;
    int black;
    if (!read_position(arguments, &at, &black)) return NULL;
    int found = endgame_value(at, black);
    if (found == ENDGAME_UNKNOWN) Py_RETURN_NONE;
    return PyLong_FromLong(found);
}

static PyObject *choice(PyObject *self, PyObject *arguments) {
    (void)self;
    position at, after;
    int black;
    if (!read_position(arguments, &at, &black)) return NULL;
    if (!endgame_choice(at, black, &after)) Py_RETURN_NONE;
    return Py_BuildValue("KKK", after.own, after.other, after.kings);
}

static PyObject *pieces_(PyObject *self, PyObject *arguments) {
    (void)self, (void)arguments;
    return PyLong_FromLong(endgame_pieces());
}

static PyObject *bytes_(PyObject *self, PyObject *arguments) {
    (void)self;
    unsigned char counts[4];
    int two_bits;
    material pieces;
    if (!PyArg_ParseTuple(arguments, "bbbbp", &counts[0], &counts[1], &counts[2], &counts[3], &two_bits) ||
        !read_pieces(counts, &pieces))
        return NULL;
    return PyLong_FromUnsignedLongLong(table_bytes(extents_of(pieces), two_bits));
}

static PyObject *attach(PyObject *self, PyObject *arguments) {
    (void)self;
    unsigned char counts[4];
    int two_bits;
    PyObject *codes;
    material pieces;
    Py_buffer bytes;
    if (!PyArg_ParseTuple(arguments, "bbbbpO", &counts[0], &counts[1], &counts[2], &counts[3], &two_bits, &codes) ||
        !read_pieces(counts, &pieces) || !take_bytes(codes, pieces, two_bits, PyBUF_SIMPLE, &bytes))
        return NULL;
    set_endgame_table(pieces, bytes.buf, two_bits);
    hold(pieces, &bytes);
    count_endgame_tables();
    Py_RETURN_NONE;
}

static PyObject *detach(PyObject *self, PyObject *arguments) {
    (void)self, (void)arguments;
    for (int number = 0; number < MATERIALS; number++) {
        if (!holders[number].obj) continue;
        set_endgame_table(material_numbered(number), NULL, false);
        count_endgame_tables();
        hold(material_numbered(number), &(Py_buffer){0});
    }
    Py_RETURN_NONE;
}

/* Python while a build runs without the interpreter's lock. */
typedef struct {
    PyThreadState *state;
    PyObject *progress;
} caller;

static bool tell(void *context, uint64_t steps) {
    caller *told = context;
    PyEval_RestoreThread(told->state);
    PyObject *answer = PyErr_CheckSignals() < 0 ? NULL : PyObject_CallFunction(told->progress, "K", steps);
    bool on = answer;
    Py_XDECREF(answer);
    told->state = PyEval_SaveThread();
    return on;
}

/* Whether all tables that the build will look into are there. */
static bool has_needed(material pieces) {
    bool needed = endgame_pieces() >= pieces_of(pieces) - 1 || pieces_of(pieces) == 2;
    material crowned[2] = {pieces, swapped(pieces)};
    for (int i = 0; i < 2; i++) {
        if (!crowned[i].own_men) continue;
        crowned[i].own_men--, crowned[i].own_kings++;
        needed = needed && has_endgame_table(crowned[i]) && has_endgame_table(swapped(crowned[i]));
    }
    if (!needed) PyErr_SetString(PyExc_RuntimeError, "the tables that this one is built from are not attached");
    return needed;
}

static PyObject *raise_outcome(build_outcome outcome) {
    if (outcome == NO_MEMORY) return PyErr_NoMemory();
    if (outcome == TOO_LONG) PyErr_SetString(PyExc_OverflowError, "a win takes more plies than a table can say");
    return NULL; /* STOPPED: by an exception that is set */
}

static PyObject *build(PyObject *self, PyObject *arguments) {
    (void)self;
    unsigned char counts[4];
    int two_bits;
    PyObject *own, *other, *progress;
    material pieces;
    Py_buffer bytes[2];
    if (!PyArg_ParseTuple(arguments, "bbbbpOOO", &counts[0], &counts[1], &counts[2], &counts[3], &two_bits, &own,
                          &other, &progress) ||
        !read_pieces(counts, &pieces) || !has_needed(pieces) ||
        !take_bytes(own, pieces, two_bits, PyBUF_WRITABLE, &bytes[0]))
        return NULL;
    if (!take_bytes(other, swapped(pieces), two_bits, PyBUF_WRITABLE, &bytes[1])) {
        PyBuffer_Release(&bytes[0]);
        return NULL;
    }
    tally found[2];
    caller told = {.progress = progress};
    told.state = PyEval_SaveThread();
    build_outcome outcome = build_endgame_table(pieces, two_bits, (uint8_t *[2]){bytes[0].buf, bytes[1].buf}, found,
                                                (watcher){tell, &told});
    PyEval_RestoreThread(told.state);
    if (outcome != BUILT) {
        for (int i = 0; i < 2; i++) PyBuffer_Release(&bytes[i]);
        return raise_outcome(outcome);
    }
    hold(pieces, &bytes[0]);
    hold(swapped(pieces), &bytes[1]);
    count_endgame_tables();
    return Py_BuildValue("(KKKi)(KKKi)", found[0].wins, found[0].draws, found[0].losses, found[0].longest,
                         found[1].wins, found[1].draws, found[1].losses, found[1].longest);
}

PyMethodDef endgame_methods[] = {
    {"endgame_value", value, METH_VARARGS,
     "endgame_value(own, other, kings, black) -> int | None\n\n"
     "Plies to a win, minus the plies to a loss, 0 for a draw, +-20000 for a win or loss of unknown length; None\n"
     "when no table has the position, or the side to move has no move."},
    {"endgame_choice", choice, METH_VARARGS,
     "endgame_choice(own, other, kings, black) -> tuple[int, int, int] | None\n\n"
     "The state after the move to play in a won position, seen from the opponent; None in another. It is one of a\n"
     "shortest way to the end, and of several the one that leads to a capture or a man's move soonest."},
    {"endgame_pieces", pieces_, METH_NOARGS,
     "endgame_pieces() -> int\n\nPositions of up to so many pieces can be looked up; 0 without tables."},
    {"endgame_bytes", bytes_, METH_VARARGS,
     "endgame_bytes(own_men, own_kings, other_men, other_kings, two_bits) -> int\n\nThe bytes of a table."},
    {"endgame_attach", attach, METH_VARARGS,
     "endgame_attach(own_men, own_kings, other_men, other_kings, two_bits, codes)\n\n"
     "Look positions of these pieces up in `codes` from now on. Not while a search runs that could reach them."},
    {"endgame_detach", detach, METH_NOARGS,
     "endgame_detach()\n\nLook nothing up any longer, and let go of all tables. Not while a search runs."},
    {"endgame_build", build, METH_VARARGS,
     "endgame_build(own_men, own_kings, other_men, other_kings, two_bits, own, other, progress)\n"
     "    -> tuple[tuple[int, int, int, int], tuple[int, int, int, int]]\n\n"
     "Compute and attach a table and that of the same pieces swapped, into the writable buffers `own` and `other`,\n"
     "zeros before, which are the same when the pieces are. `progress` is told now and then how many of\n"
     "4 * endgame_bytes(..., False) steps are done; an exception of it stops. For each table: positions won, drawn\n"
     "and lost, and the plies of the longest way to the end."},
    {NULL, NULL, 0, NULL},
};
