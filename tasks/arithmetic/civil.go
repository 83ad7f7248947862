package arithmetic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// weekdays and months are the English names, from Monday and January on.
var (
	weekdays = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}
	months   = []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
)

// A civilDay is a day of the proleptic Gregorian calendar, counted from 1 January 1970.
type civilDay int

// The first and the last valid year, as in Python.
const (
	firstYear = 1
	lastYear  = 9999
)

// dayOf returns the day of a date. Its years begin in March, so that the leap day is the
// last of its year: Hinnant, "chrono-Compatible Low-Level Date Algorithms".
func dayOf(year, month, day int) civilDay {
	if month <= 2 {
		year--
		month += 12
	}
	const march, epoch = 3, 719468 // days from 1 March of year 0 to 1970
	inYear := (153*(month-march)+2)/5 + day - 1
	return civilDay(365*year + year/4 - year/100 + year/400 + inYear - epoch)
}

// date returns the date of a day from firstYear on.
func (d civilDay) date() (year, month, day int) {
	const epoch, era, century = 719468, 146097, 36524 // days; an era is 400 years
	n := int(d) + epoch
	inEra := n % era
	inYear := (inEra - inEra/1460 + inEra/century - inEra/(era-1)) / 365
	rest := inEra - (365*inYear + inYear/4 - inYear/100)
	month = (5*rest + 2) / 153
	day = rest - (153*month+2)/5 + 1
	year = n/era*400 + inYear
	if month += 3; month > 12 {
		month -= 12
		year++
	}
	return year, month, day
}

// weekday returns 0 for Monday to 6 for Sunday.
func (d civilDay) weekday() int {
	const thursday = 3 // 1 January 1970
	return ((int(d)+thursday)%7 + 7) % 7
}

// isLeap reports whether a year has a 29 February.
func isLeap(year int) bool { return year%4 == 0 && (year%100 != 0 || year%400 == 0) }

// daysIn returns the number of days of a month.
func daysIn(year, month int) int {
	switch month {
	case 2:
		if isLeap(year) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// weekdayNamed returns the number of a weekday, or -1.
func weekdayNamed(name string) int { return slices.Index(weekdays, name) }

// appendDate appends a date as 2022-12-31.
func appendDate(b []byte, d civilDay) []byte {
	year, month, day := d.date()
	b = appendPadded(b, year, 4)
	b = appendPadded(append(b, '-'), month, 2)
	return appendPadded(append(b, '-'), day, 2)
}

// appendPadded appends n ≥ 0 with at least the given number of digits.
func appendPadded(b []byte, n, digits int) []byte {
	for size := n; digits > 1; digits-- {
		if size /= 10; size == 0 {
			b = append(b, '0')
		}
	}
	return strconv.AppendInt(b, int64(n), 10)
}

// readDate reads a date as 2022-12-31.
func readDate(text string) (d civilDay, err error) {
	const form = "2022-12-31"
	if len(text) != len(form) || text[4] != '-' || text[7] != '-' {
		return 0, fmt.Errorf("%.40q is not a date like %s", text, form)
	}
	year, ok1 := readNatural(text[:4])
	month, ok2 := readNatural(text[5:7])
	day, ok3 := readNatural(text[8:])
	if !ok1 || !ok2 || !ok3 || year < firstYear || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, fmt.Errorf("%.40q is not a date like %s", text, form)
	}
	return dayOf(year, month, day), nil
}

// readNatural reads all of text as a number of up to nine digits.
func readNatural(text string) (n int, ok bool) {
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, text != "" && len(text) <= 9
}

// cycle is the number of years after which the Gregorian calendar repeats, weekdays included.
const cycle = 400

// inCycle moves times that begin with dates by as many cycles as bring the first into the years
// from 2000 to 2399. The second may be empty.
func inCycle(first, second string) (a, b string) {
	moved := func(text string, years int) string {
		year, rest, found := strings.Cut(text, "-")
		n, err := strconv.Atoi(year)
		if !found || err != nil {
			return text
		}
		return strconv.Itoa(n+years) + "-" + rest
	}
	year, err := strconv.Atoi(strings.SplitN(first, "-", 2)[0])
	if err != nil {
		return first, second
	}
	years := 2000 + year%cycle - year
	return moved(first, years), moved(second, years)
}
