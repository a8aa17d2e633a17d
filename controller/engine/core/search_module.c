/* What Python calls of the search. */
#include "python.h"

#include "evaluate.h"
#include "moves.h"
#include "search.h"

#include <stdlib.h>

#define TABLE_NAME "controller.engine._core.table"

static void free_table(PyObject *capsule) {
    transposition_table *table = PyCapsule_GetPointer(capsule, TABLE_NAME);
    if (!table) return;
    table_free(table);
    free(table);
}

static PyObject *table_new(PyObject *self, PyObject *arguments) {
    (void)self;
    int megabytes;
    if (!PyArg_ParseTuple(arguments, "i", &megabytes)) return NULL;
    if (megabytes < 1 || megabytes > 1 << 16) {
        PyErr_SetString(PyExc_ValueError, "a table has from 1 to 65536 megabytes");
        return NULL;
    }
    transposition_table *table = malloc(sizeof *table);
    if (!table || !table_create(table, (size_t)megabytes)) {
        free(table);
        return PyErr_NoMemory();
    }
    PyObject *capsule = PyCapsule_New(table, TABLE_NAME, free_table);
    if (!capsule) {
        table_free(table);
        free(table);
    }
    return capsule;
}

static PyObject *table_clear_(PyObject *self, PyObject *capsule) {
    (void)self;
    transposition_table *table = PyCapsule_GetPointer(capsule, TABLE_NAME);
    if (!table) return NULL;
    table_clear(table);
    Py_RETURN_NONE;
}

/* The caller's functions, and Python's state of this thread while the search runs without the interpreter's lock. */
typedef struct {
    PyObject *enough, *deepened;
    PyThreadState *state;
    bool failed; /* an exception is set */
} python_caller;

static PyObject *position_list(const position *positions, int length) {
    PyObject *list = PyList_New(length);
    for (int i = 0; list && i < length; i++) {
        PyObject *state = Py_BuildValue("KKK", positions[i].own, positions[i].other, positions[i].kings);
        if (!state || PyList_SetItem(list, i, state) < 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

static PyObject *result_tuple(const search_result *result) {
    return Py_BuildValue("iiKN", result->score, result->depth, (unsigned long long)result->nodes,
                         position_list(result->line, result->line_length));
}

/* Whether the caller's function `asked`, given `arguments` (taken over; NULL after an error), says true; true as well
 * after an exception, a signal's among them. */
static bool ask(python_caller *caller, PyObject *asked, PyObject *arguments) {
    PyObject *answer = NULL;
    int truth = 1;
    if (arguments && PyErr_CheckSignals() == 0) {
        answer = PyObject_Call(asked, arguments, NULL);
        if (answer) truth = PyObject_IsTrue(answer);
    }
    caller->failed = !answer || truth < 0;
    Py_XDECREF(answer);
    Py_XDECREF(arguments);
    return caller->failed || truth;
}

static bool enough(void *context) {
    python_caller *caller = context;
    if (caller->failed) return true;
    PyEval_RestoreThread(caller->state);
    bool answer = ask(caller, caller->enough, PyTuple_New(0));
    caller->state = PyEval_SaveThread();
    return answer;
}

static bool deepened(void *context, const search_result *so_far) {
    python_caller *caller = context;
    if (caller->failed) return true;
    PyEval_RestoreThread(caller->state);
    bool answer = ask(caller, caller->deepened, result_tuple(so_far));
    caller->state = PyEval_SaveThread();
    return answer;
}

/* Read a list of (own, other, kings); its length, or -1 with an exception. */
static int read_positions(PyObject *list, position *positions, int room) {
    Py_ssize_t length = PyList_Size(list);
    if (length < 0) return -1;
    Py_ssize_t first = length > room ? length - room : 0;
    for (Py_ssize_t i = first; i < length; i++) {
        position *at = &positions[i - first];
        PyObject *state = PyList_GetItem(list, i);
        if (!state || !PyArg_ParseTuple(state, "KKK", &at->own, &at->other, &at->kings)) return -1;
    }
    return (int)(length - first);
}

static PyObject *search_(PyObject *self, PyObject *arguments, PyObject *keywords) {
    (void)self;
    static char *names[] = {"table", "own",   "other",   "kings",       "black",       "depth",
                            "nodes", "threads", "quiet_plies", "quiet_limit", "past", "noise",
                            "seed",  "endings", "enough",  "deepened",    NULL};
    PyObject *capsule, *past_list;
    position root, past[MOST_PAST], next[MOST_MOVES];
    int black, endings;
    double noise;
    unsigned long long nodes, seed;
    search_order order = {0};
    python_caller caller = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OKKKpiKiiiOdKpOO", names, &capsule, &root.own, &root.other,
                                     &root.kings, &black, &order.depth, &nodes, &order.threads, &order.quiet_plies,
                                     &order.quiet_limit, &past_list, &noise, &seed, &endings, &caller.enough,
                                     &caller.deepened))
        return NULL;
    transposition_table *table = PyCapsule_GetPointer(capsule, TABLE_NAME);
    if (!table) return NULL;
    if (!successors(root, black, next)) {
        PyErr_SetString(PyExc_ValueError, "the side to move has no move");
        return NULL;
    }
    order.past_length = read_positions(past_list, past, MOST_PAST);
    if (order.past_length < 0) return NULL;
    order.past = past;
    order.nodes = nodes;
    order.endings = endings;
    order.errors = misjudgement_of(noise, seed);
    search_caller functions = {&caller, enough, deepened};
    search_result result;
    caller.state = PyEval_SaveThread();
    search(root, black, &order, table, &functions, &result);
    PyEval_RestoreThread(caller.state);
    return caller.failed ? NULL : result_tuple(&result);
}

static PyObject *evaluate_(PyObject *self, PyObject *arguments) {
    (void)self;
    position at;
    int black, by_hand;
    double noise;
    unsigned long long seed;
    if (!PyArg_ParseTuple(arguments, "KKKppdK", &at.own, &at.other, &at.kings, &black, &by_hand, &noise, &seed))
        return NULL;
    if (by_hand) return PyLong_FromLong(evaluate_by_hand(at, black));
    misjudgement errors = misjudgement_of(noise, seed);
    return PyLong_FromLong(evaluate(at, black, &errors));
}

PyMethodDef search_methods[] = {
    {"table_new", table_new, METH_VARARGS, "table_new(megabytes) -> table\n\nA transposition table."},
    {"table_clear", table_clear_, METH_O, "table_clear(table)\n\nForget all that earlier searches have found."},
    {"search", (PyCFunction)(void (*)(void))search_, METH_VARARGS | METH_KEYWORDS,
     "search(table, own, other, kings, black, depth, nodes, threads, quiet_plies, quiet_limit, past, noise, seed,\n"
     "       endings, enough, deepened) -> (score, depth, nodes, line)\n\n"
     "Search without the interpreter's lock; 0 stands for no limit of depth or nodes. `past` are the states of the\n"
     "game that could come up again, `line` those after each move of the expected continuation. `enough()` is asked\n"
     "every few thousand nodes, `deepened(score, depth, nodes, line)` told of each depth: either ends the search by\n"
     "returning true or by an exception."},
    {"evaluate", evaluate_, METH_VARARGS,
     "evaluate(own, other, kings, black, by_hand, noise, seed) -> int\n\nThe static score of a quiet position."},
    {NULL, NULL, 0, NULL},
};
