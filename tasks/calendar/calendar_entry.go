package calendar

import "regexp"

// Complete implements [task.Completer]: reasoning-gym has the weekday to count in
// the question alone.
func (c *calendarItem) Complete(question string) {
	if c.Task == countDays && c.Weekday == "" {
		c.Weekday = askedWeekday(question)
	}
}

// weekdayRE finds weekdays, and the month and the day after those of a date.
var weekdayRE = regexp.MustCompile(`((?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)s?\b(, [A-Z][a-z]+ \d)?`)

// askedWeekday returns the one weekday of a question that is not part of a date.
func askedWeekday(question string) string {
	asked := ""
	for _, found := range weekdayRE.FindAllStringSubmatch(question, -1) {
		if found[2] == "" && asked != "" {
			return ""
		}
		if found[2] == "" {
			asked = found[1]
		}
	}
	return asked
}
