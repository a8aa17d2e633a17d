/* Python's limited API, so that one built extension serves every Python from 3.11 on. */
#ifndef CROWNHEAD_PYTHON_H
#define CROWNHEAD_PYTHON_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include "board.h"

/* The functions of the parts; module.c gathers them. */
extern PyMethodDef rules_methods[];
extern PyMethodDef endgame_methods[];
extern PyMethodDef network_methods[];
extern PyMethodDef search_methods[];

#endif
