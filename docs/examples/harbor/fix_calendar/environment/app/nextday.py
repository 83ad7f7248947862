import sys


def leap(year):
    return year % 4 == 0 and year % 100 != 0


def days(year, month):
    return [31, 29 if leap(year) else 28, 31, 30, 31, 30, 31, 30, 31, 30, 31, 31][month - 1]


def next_day(year, month, day):
    if day < days(year, month):
        return year, month, day + 1
    if month < 12:
        return year, month + 1, 1
    return year + 1, month, 1


for line in sys.stdin:
    print("%04d-%02d-%02d" % next_day(*map(int, line.split("-"))))
