package arithmetic

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// calendarArithmetic asks for weekdays, numbers of days, and leap years.
var calendarArithmetic = task.Spec[calendarParams, calendarItem]{
	Name:     "calendar_arithmetic",
	Category: "arithmetic",
	Doc: "Answer a question about dates: a weekday, a number of days, or whether a year is a leap year. " +
		"Leap year questions ask about a leap year half of the time. Years before 1582 use the Gregorian calendar too.",
	Source:  "The Gregorian calendar; the settings are those of reasoning-gym.",
	Version: 4,
	Default: calendarParams{Year: 2022, Tasks: calendarKinds, OffsetUpperBound: 100, LeapYearRange: 200},
	Levels: []calendarParams{
		{Year: 2022, Tasks: []string{weekdayOffset, leapYear}, OffsetUpperBound: 14, LeapYearRange: 50},
		{Year: 2022, Tasks: []string{weekdayOffset, leapYear, weekdayFromFirst, recurringDay}, OffsetUpperBound: 50, LeapYearRange: 1000, YearRange: 1},
		{Year: 2022, Tasks: calendarKinds[:6], OffsetUpperBound: 100, LeapYearRange: 400, YearRange: 10},
		{Year: 2000, Tasks: calendarKinds[:6], OffsetUpperBound: 400, LeapYearRange: 1000, YearRange: 100},
		{Year: 2000, Tasks: calendarKinds[:6], OffsetUpperBound: 5000, LeapYearRange: 1900, YearRange: 400},
		{Year: 3000, Tasks: calendarKinds[:6], OffsetUpperBound: 100_000, LeapYearRange: 2900, YearRange: 2500},
	},
	Few:  []string{"There are few questions about the weekdays and the leap years of a level this easy."},
	Make: makeCalendar,
}

// The kinds of question.
const (
	weekdayOffset    = "weekday_offset"
	weekdayOfDate    = "weekday_of_date"
	weekdayFromFirst = "weekday_of_date_from_first_date"
	recurringDay     = "recurring_event_day"
	countDays        = "count_days"
	countBusiness    = "count_business_days"
	leapYear         = "is_leap_year"
)

// calendarKinds lists the kinds of question.
var calendarKinds = []string{weekdayOffset, weekdayOfDate, weekdayFromFirst, recurringDay, countDays, countBusiness, leapYear}

// ordinals are the positions of a weekday in a month.
var ordinals = []string{"first", "second", "third", "fourth", "fifth", "last"}

// calendarParams are the settings of one difficulty.
type calendarParams struct {
	Year             int      `json:"year" want:"1 to 9999"`
	Tasks            []string `json:"tasks" want:"1 or more" oneof:"weekday_offset weekday_of_date weekday_of_date_from_first_date recurring_event_day count_days count_business_days is_leap_year, each once"` // kinds of question, equally likely
	OffsetUpperBound int      `json:"offset_upper_bound" want:"1 to 1000000"`                                                                                                                                   // limit of the days between two dates
	LeapYearRange    int      `json:"leap_year_range" want:"0 or more"`                                                                                                                                         // for leap years, the largest distance from Year
	YearRange        int      `json:"year_range" want:"0 or more"`                                                                                                                                              // for the first date of all other questions, the same
}

// Check refuses what no tag does.
func (p calendarParams) Check() error {
	reach := p.OffsetUpperBound/365 + 1
	switch {
	case p.Year-p.LeapYearRange < firstYear || p.Year+p.LeapYearRange > lastYear:
		return fmt.Errorf("leap_year_range is %d, want years from %d to %d", p.LeapYearRange, firstYear, lastYear)
	case p.Year-p.YearRange-reach < firstYear || p.Year+p.YearRange+reach > lastYear:
		return fmt.Errorf("year_range is %d, want all dates in the years from %d to %d", p.YearRange, firstYear, lastYear)
	}
	return nil
}

// calendarItem is one question. It has the fields of its kind; dates are written as
// 2022-12-31.
type calendarItem struct {
	Task       string `json:"task"`
	Year       int    `json:"year,omitempty"`
	StartDate  string `json:"start_date,omitempty"`
	EndDate    string `json:"end_date,omitempty"`
	TargetDate string `json:"target_date,omitempty"`
	OffsetDays int    `json:"offset_days,omitempty"` // from StartDate to TargetDate, negative if that is earlier
	FirstDay   string `json:"first_day,omitempty"`   // weekday of 1 January
	DeltaDays  int    `json:"delta_days,omitempty"`  // from 1 January to TargetDate
	Month      int    `json:"month,omitempty"`       // 1 to 12
	Ordinal    string `json:"ordinal,omitempty"`     // one of ordinals
	Weekday    string `json:"weekday,omitempty"`
	IsLeap     *bool  `json:"is_leap,omitempty"`
	Phrasing   int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeCalendar draws the kind of question, and the fields of that kind.
func makeCalendar(p calendarParams, r *rng.Rand) (calendarItem, error) {
	item := calendarItem{Task: rng.Pick(r, p.Tasks), Phrasing: r.Between(0, calendarWordings-1)}
	year := r.Between(p.Year-p.YearRange, p.Year+p.YearRange)
	month := r.Between(1, 12)
	day := dayOf(year, month, r.Between(1, daysIn(year, month)))
	days := r.Between(1, p.OffsetUpperBound)
	text := func(d civilDay) string { return string(appendDate(nil, d)) }
	switch item.Task {
	case weekdayOffset:
		if r.Chance(0.5) {
			days = -days
		}
		item.StartDate, item.OffsetDays, item.TargetDate = text(day), days, text(day+civilDay(days))
	case weekdayOfDate:
		item.TargetDate = text(day)
	case weekdayFromFirst:
		first := dayOf(year, 1, 1)
		if day == first { // the question gives away its weekday
			day += civilDay(r.Between(1, 364))
		}
		item.Year, item.FirstDay, item.TargetDate = year, rng.Pick(r, weekdays), text(day)
		item.DeltaDays = int(day - first)
	case recurringDay:
		item.Year, item.Month, item.Ordinal, item.Weekday = year, month, rng.Pick(r, ordinals), rng.Pick(r, weekdays)
	case countDays:
		item.Year, item.StartDate, item.EndDate, item.Weekday = year, text(day), text(day+civilDay(days)), rng.Pick(r, weekdays)
	case countBusiness:
		item.StartDate, item.EndDate = text(day), text(day+civilDay(days))
	case leapYear:
		item.Year = p.drawYear(r)
		is := isLeap(item.Year)
		item.IsLeap = &is
	}
	return item, nil
}

// drawYear draws a year, leap or not with equal probability. Years that end a century are
// more frequent than by chance; of the other common years, half are even.
func (p calendarParams) drawYear(r *rng.Rand) int {
	leap, step := r.Chance(0.5), 1
	switch {
	case r.Chance(1. / 8):
		step = 100
	case !leap && r.Chance(0.5):
		step = 2
	}
	span := 2*p.LeapYearRange + 1
	first := r.Between(0, span-1)
	for i := range span {
		if year := p.Year - p.LeapYearRange + (first+i)%span; year%step == 0 && isLeap(year) == leap {
			return year
		}
	}
	return p.Year
}

// calendarWordings is the number of wordings of each question.
const calendarWordings = 6

// calendarPhrasings are the wordings of the questions by kind, in pieces around the
// subjects. The kind with a minus asks about the past.
var calendarPhrasings = map[string][calendarWordings][]string{
	weekdayOffset: {
		{"Today is ", ". Which day of the week will it be in ", "?"},
		{"Someone leaves on ", " and comes back ", " later. On which weekday is the return?"},
		{"It is ", ", and a comet will come back in ", ". Name the weekday of its return."},
		{"Counting forward from ", ", which day of the week do you reach after ", "?"},
		{"First day: ", "\nTime that passes: ", "\nWeekday at the end: ?"},
		{"Let ", " be day zero. Which weekday is the day that comes ", " later?"},
	},
	weekdayOffset + "-": {
		{"Today is ", ". Which day of the week was it ", " ago?"},
		{"A letter that arrived on ", " was sent ", " earlier. On which weekday was it sent?"},
		{"It is ", ", and a comet was last seen ", " ago. Name the weekday on which it was seen."},
		{"Counting back from ", ", which day of the week do you reach after ", "?"},
		{"Last day: ", "\nTime that has passed before it: ", "\nWeekday at the beginning: ?"},
		{"If ", " is exactly ", " after some day, which weekday was that day?"},
	},
	weekdayOfDate: {
		{"Which day of the week is ", " in the Gregorian calendar?"},
		{"On which weekday does ", " fall in the Gregorian calendar?"},
		{"A sheet of a Gregorian calendar shows the date ", ". Which weekday must stand beside it?"},
		{"Date in the Gregorian calendar: ", "\nDay of the week: ?"},
		{"Take ", " in the Gregorian calendar. Is it a Monday, a Tuesday, or which other day of the week?"},
		{"The Gregorian calendar has the date ", ". Name its weekday."},
	},
	weekdayFromFirst: {
		{"January 1 of a ", " year is a ", ". Which weekday is ", " of that year?"},
		{"A ", " year begins on a ", ". On which day of the week does ", " of that year fall?"},
		{"If the first day of a ", " year is a ", ", then ", " of that year is on which weekday?"},
		{"Kind of year: ", "\nWeekday of January 1: ", "\nWeekday that is wanted: that of ", "."},
		{"In some ", " year, New Year's Day is a ", ". Find the weekday of ", " in the same year."},
		{"Which day of the week is it, in a ", " year that starts with a ", ", when the calendar shows ", "?"},
	},
	recurringDay: {
		{"Which day of the month is the ", " of ", "? If there is none, answer -1."},
		{"A club meets on the ", " of ", ". On which day of the month is that? If there is no such day, answer -1."},
		{"Look for the ", " of ", ". Its place among the days of the month is the answer, and -1 if there is no such day."},
		{"Give the date of the ", " of ", " as a number from 1 to 31, or -1 if the month has no such day."},
		{"Day: the ", " of ", "\nNumber of this day in the month, or -1 if it does not exist: ?"},
		{"If somebody writes down an appointment for the ", " of ", ", which number does that day have in the month? The answer is -1 if there is no such day."},
	},
	countDays: {
		{"How many ", "s are there from ", " to ", ", both dates included?"},
		{"Count the ", "s from ", " to ", ", including the first and the last date. How many are there?"},
		{"Someone crosses out every ", " in a calendar that begins with ", " and ends with ", ". How many days are crossed out?"},
		{"Weekday: ", "\nFirst date: ", "\nLast date: ", "\nNumber of times that this weekday occurs, both dates included: ?"},
		{"A band may rehearse each ", " from ", " to ", ", also on these two dates. How often can it rehearse?"},
		{"In a period with the ", "s marked, the first day is ", " and the last day is ", ". What is the number of marks?"},
	},
	countBusiness: {
		{"How many working days, Monday to Friday, are there from ", " to ", ", both dates included?"},
		{"Someone works every day except Saturdays and Sundays from ", " to ", ", including the first and the last date. How many days is that?"},
		{"First date: ", "\nLast date: ", "\nNumber of days from Monday to Friday, both dates included: ?"},
		{"Leave out all Saturdays and Sundays of the period that begins with ", " and ends with ", ". How many days remain?"},
		{"An office opens from Monday to Friday. On how many days is it open from ", " to ", ", if both dates count?"},
		{"A train does not run on Saturdays and Sundays, but on all other days. Its timetable is valid from ", " to ", ", both included. On how many days does it run?"},
	},
	leapYear: {
		{"Is ", " a leap year in the Gregorian calendar?"},
		{"Does February of the year ", " have 29 days in the Gregorian calendar?"},
		{"In the Gregorian calendar, is there a leap day in ", "?"},
		{"Year of the Gregorian calendar: ", "\nIs it a leap year?"},
		{"Somebody says that the year ", " has 366 days in the Gregorian calendar. Is that right?"},
		{"Take the year ", " of the Gregorian calendar. Does March 1 come two days after February 28 in it?"},
	},
}

func (c calendarItem) Prompt() string {
	kind := c.Task
	if c.OffsetDays < 0 {
		kind += "-"
	}
	pieces := calendarPhrasings[kind][c.Phrasing]
	b := append(make([]byte, 0, 256), pieces[0]...)
	for i, value := range c.subjects() {
		b = append(append(b, value...), pieces[i+1]...)
	}
	switch c.Task {
	case leapYear:
		return string(append(b, " Answer Yes or No and nothing else."...))
	case recurringDay, countDays, countBusiness:
		return string(append(b, " Answer with the number alone."...))
	}
	return string(append(b, " Answer with the name of the weekday alone, beginning with a capital letter."...))
}

// subjects returns the parts of the question between the pieces of its wording, in order.
func (c calendarItem) subjects() []string {
	switch c.Task {
	case weekdayOffset:
		days := max(c.OffsetDays, -c.OffsetDays)
		return []string{fullDate(c.StartDate), strconv.Itoa(days) + plural(" day", days)}
	case weekdayOfDate:
		return []string{longDate(c.TargetDate)}
	case weekdayFromFirst:
		year := "common"
		if isLeap(c.Year) {
			year = "leap"
		}
		return []string{year, c.FirstDay, dayAndMonth(c.TargetDate)}
	case recurringDay:
		return []string{c.Ordinal + " " + c.Weekday, months[c.Month-1] + " " + strconv.Itoa(c.Year)}
	case countDays:
		return []string{c.Weekday, fullDate(c.StartDate), fullDate(c.EndDate)}
	case countBusiness:
		return []string{fullDate(c.StartDate), fullDate(c.EndDate)}
	}
	return []string{strconv.Itoa(c.Year)}
}

// plural returns a noun for n things.
func plural(noun string, n int) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// fullDate writes a date as Saturday, December 31, 2022.
func fullDate(date string) string {
	d, _ := readDate(date) // Check has already read it
	return weekdays[d.weekday()] + ", " + longDate(date)
}

// longDate writes a date as December 31, 2022.
func longDate(date string) string {
	d, _ := readDate(date)
	year, _, _ := d.date()
	return dayAndMonth(date) + ", " + strconv.Itoa(year)
}

// dayAndMonth writes a date as December 31.
func dayAndMonth(date string) string {
	d, _ := readDate(date)
	_, month, day := d.date()
	return months[month-1] + " " + strconv.Itoa(day)
}

func (c calendarItem) Short() string {
	kind := strings.ReplaceAll(c.Task, "_", " ")
	if c.OffsetDays < 0 {
		kind += " back"
	}
	return kind + ": " + strings.Join(c.subjects(), "; ")
}

// Canonical implements [task.Canonicalizer]. Of a date whose weekday is given, only that matters
// to the weekday of another. In all other questions the calendar is the same 400 years later.
func (c calendarItem) Canonical() string {
	if c.Task == weekdayOffset {
		start, _ := readDate(c.StartDate) // Check has already read it
		return fmt.Sprint(c.Task, " ", weekdays[start.weekday()], " ", c.OffsetDays)
	}
	if c.Task != weekdayFromFirst { // which names no year
		c.Year %= cycle
		c.StartDate, c.EndDate = inCycle(c.StartDate, c.EndDate)
		c.TargetDate, _ = inCycle(c.TargetDate, "")
	}
	return c.Short()
}

// Check refuses a record that lacks a field of its kind, or has a wrong result.
func (c calendarItem) Check() error {
	solution, err := c.answer()
	if err != nil {
		return err
	}
	if c.Task == leapYear && c.IsLeap != nil && *c.IsLeap != (solution == yes) {
		return fmt.Errorf("is_leap is %v, want %v", *c.IsLeap, !*c.IsLeap)
	}
	if c.Task == weekdayFromFirst {
		if _, err := readDate(c.TargetDate); err != nil {
			return fmt.Errorf("target_date: %w", err)
		}
	}
	return nil
}

// The answers about leap years.
const (
	yes = "Yes"
	no  = "No"
)

func (c calendarItem) Choices() int {
	switch c.Task {
	case leapYear:
		return 2
	case weekdayOffset, weekdayOfDate, weekdayFromFirst:
		return 7
	}
	return 0
}

func (c calendarItem) Solve() string {
	solution, _ := c.answer() // Check has already seen the error
	return solution
}

// answer computes the answer. The error names the invalid field.
func (c calendarItem) answer() (string, error) {
	switch c.Task {
	case weekdayOffset, weekdayOfDate, weekdayFromFirst:
		return c.weekday()
	case recurringDay:
		return c.recurring()
	case countDays, countBusiness:
		return c.count()
	case leapYear:
		if c.Year < firstYear || c.Year > 2*lastYear {
			return "", fmt.Errorf("year is %d, want %d to %d", c.Year, firstYear, 2*lastYear)
		}
		if isLeap(c.Year) {
			return yes, nil
		}
		return no, nil
	}
	return "", fmt.Errorf("task is %q, want one of %s", c.Task, strings.Join(calendarKinds, ", "))
}

// weekday answers the questions about a weekday.
func (c calendarItem) weekday() (string, error) {
	const most = 10_000_000 // days, beyond all years
	switch c.Task {
	case weekdayOffset:
		start, err := readDate(c.StartDate)
		if err != nil {
			return "", fmt.Errorf("start_date: %w", err)
		}
		if max(c.OffsetDays, -c.OffsetDays) > most {
			return "", fmt.Errorf("offset_days is %d, want at most %d either way", c.OffsetDays, most)
		}
		return weekdays[(start + civilDay(c.OffsetDays)).weekday()], nil
	case weekdayOfDate:
		target, err := readDate(c.TargetDate)
		if err != nil {
			return "", fmt.Errorf("target_date: %w", err)
		}
		return weekdays[target.weekday()], nil
	}
	first := weekdayNamed(c.FirstDay)
	if first < 0 || c.DeltaDays < 0 || c.DeltaDays > most {
		return "", fmt.Errorf("first_day and delta_days are %q and %d, want a weekday and 0 or more", c.FirstDay, c.DeltaDays)
	}
	return weekdays[(first+c.DeltaDays)%7], nil
}

// recurring answers which day of a month is its first, second, … of a weekday.
func (c calendarItem) recurring() (string, error) {
	place, weekday := slices.Index(ordinals, c.Ordinal), weekdayNamed(c.Weekday)
	switch {
	case place < 0 || weekday < 0:
		return "", fmt.Errorf("ordinal and weekday are %q and %q", c.Ordinal, c.Weekday)
	case c.Year < firstYear || c.Year > lastYear || c.Month < 1 || c.Month > 12:
		return "", fmt.Errorf("year and month are %d and %d", c.Year, c.Month)
	}
	first, days := dayOf(c.Year, c.Month, 1), daysIn(c.Year, c.Month)
	day := 1 + (weekday-first.weekday()+7)%7
	if c.Ordinal == "last" {
		return strconv.Itoa(day + (days-day)/7*7), nil
	}
	if day += 7 * place; day > days {
		return "-1", nil
	}
	return strconv.Itoa(day), nil
}

// count answers how often a weekday, or any from Monday to Friday, occurs between two
// dates.
func (c calendarItem) count() (string, error) {
	start, err := readDate(c.StartDate)
	if err != nil {
		return "", fmt.Errorf("start_date: %w", err)
	}
	end, err := readDate(c.EndDate)
	if err != nil {
		return "", fmt.Errorf("end_date: %w", err)
	}
	least, most := 0, 4
	if c.Task == countDays {
		if least = weekdayNamed(c.Weekday); least < 0 {
			return "", fmt.Errorf("weekday is %q", c.Weekday)
		}
		most = least
	}
	n := 0
	for weekday := least; weekday <= most; weekday++ {
		first := start + civilDay((weekday-start.weekday()+7)%7)
		if first <= end {
			n += int(end-first)/7 + 1
		}
	}
	return strconv.Itoa(n), nil
}

func (c calendarItem) Score(text string) quintain.Verdict {
	solution, got := c.Solve(), answer.Trim(text)
	switch c.Task {
	case leapYear:
		if strings.EqualFold(got, solution) {
			return quintain.Right()
		}
	case recurringDay, countDays, countBusiness:
		n, ok := answer.ReadInt(got)
		if !ok {
			return quintain.Malformed("the answer is not a number")
		}
		if strconv.FormatInt(n, 10) == solution {
			return quintain.Right()
		}
	default:
		const otherCase = 0.05 // as in reasoning-gym
		if got == solution {
			return quintain.Right()
		}
		if strings.EqualFold(got, solution) {
			return quintain.Partial(otherCase, "want "+solution+", with one capital letter")
		}
	}
	if got == "" {
		return quintain.Malformed("the answer is empty")
	}
	return quintain.Wrong("want " + solution)
}
