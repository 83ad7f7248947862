# What the graders of LeetCode's rows run before a program: its starter code imports nothing. Modules come last, since
# some names are those of a module and of what is in it; those of Python itself come after all that have its names.
from typing import *
from string import *
from re import *
from operator import *
from math import *
from random import *
from statistics import *
from itertools import *
from functools import *
from collections import *
from datetime import *
from copy import *
from heapq import *
from bisect import *
from io import *
from json import *
from sys import *
from builtins import *
import bisect, collections, copy, datetime, functools, heapq, io, itertools, json, math, operator, os, random, re, statistics, string, sys, time, typing
sys.setrecursionlimit(50_000)
