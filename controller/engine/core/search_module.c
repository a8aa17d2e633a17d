/* What Python calls of the search. */
#include "python.h"

PyMethodDef search_methods[] = {
    {NULL, NULL, 0, NULL},
};
