package arithmetic

import "github.com/quintain-rl/quintain/internal/compiled"

// Complete implements [task.Completer]: reasoning-gym names the weekday to count only in
// the question.
func (c *calendarItem) Complete(question string) {
	if c.Task == countDays && c.Weekday == "" {
		c.Weekday = askedWeekday(question)
	}
}

// weekdayRE finds weekdays, each with the month and the day after it if it belongs to a
// date.
var weekdayRE = compiled.Regexp(`((?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)s?\b(, [A-Z][a-z]+ \d)?`)

// askedWeekday returns the only weekday in a question outside of dates.
func askedWeekday(question string) string {
	asked := ""
	for _, found := range weekdayRE().FindAllStringSubmatch(question, -1) {
		if found[2] == "" && asked != "" {
			return ""
		}
		if found[2] == "" {
			asked = found[1]
		}
	}
	return asked
}
