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

// timeIntervals asks for the time between two times or dates.
var timeIntervals = task.Spec[timeIntervalsParams, timeIntervalsItem]{
	Name:     "time_intervals",
	Category: "arithmetic",
	Doc: "Find how much time passes between two times of day, two dates, or two dates with times, which may be in different time zones. " +
		"No date is ambiguous: if the month is a number, the year comes first.",
	Source:  "The Gregorian calendar and ISO 8601; the settings are those of reasoning-gym.",
	Version: 4,
	Default: timeIntervalsParams{
		MinTime: "00:00:00", MaxTime: "23:59:59.999999", MaxSeconds: 86400,
		MinDate: "1900-01-01", MaxDate: "3000-01-01", MaxDays: 100, TaskTypes: intervalKinds,
	},
	Levels: []timeIntervalsParams{
		{
			MinTime: "08:00:00", MaxTime: "20:00:00", MaxSeconds: 3600, MinDate: "2000-01-01", MaxDate: "2030-12-31", MaxDays: 7,
			TaskTypes: []string{kindTime},
		},
		{
			MinTime: "00:00:00", MaxTime: "23:59:59.999", MaxSeconds: 10_800, MinDate: "2000-01-01", MaxDate: "2030-12-31", MaxDays: 28,
			TaskTypes: []string{kindTime, kindSeconds, kindDate},
		},
		{
			MinTime: "00:00:00", MaxTime: "23:59:59.999", MaxSeconds: 43_200, MinDate: "1950-01-01", MaxDate: "2050-12-31", MaxDays: 60,
			TaskTypes: []string{kindSeconds, kindMillis, kindDate, kindDatetime},
		},
		{
			MinTime: "00:00:00", MaxTime: "23:59:59.999", MaxSeconds: 86_400, MinDate: "1900-01-01", MaxDate: "2999-12-31", MaxDays: 365,
			TaskTypes: intervalKinds,
		},
		{
			MinTime: "00:00:00", MaxTime: "23:59:59.999", MaxSeconds: 86_400, MinDate: "1600-01-01", MaxDate: "3999-12-31", MaxDays: 3000,
			TaskTypes: intervalKinds[2:],
		},
		{
			MinTime: "00:00:00", MaxTime: "23:59:59.999", MaxSeconds: 86_400, MinDate: "1583-01-01", MaxDate: "9999-12-31", MaxDays: 150_000,
			TaskTypes: []string{kindDate, kindZone},
		},
	},
	Make: makeTimeIntervals,
}

// The kinds of question.
const (
	kindTime     = "time"
	kindSeconds  = "time_seconds"
	kindMillis   = "time_ms"
	kindDate     = "date"
	kindDatetime = "datetime"
	kindZone     = "datetime_tz"
)

// intervalKinds lists the kinds of question.
var intervalKinds = []string{kindTime, kindSeconds, kindMillis, kindDate, kindDatetime, kindZone}

// timeIntervalsParams are the settings of one difficulty.
type timeIntervalsParams struct {
	MinTime    string   `json:"min_time"` // of a day, as 23:59:59.999
	MaxTime    string   `json:"max_time"`
	MaxSeconds int      `json:"max_time_difference_seconds"` // between two times of one day
	MinDate    string   `json:"min_date"`                    // as 2022-12-31
	MaxDate    string   `json:"max_date"`
	MaxDays    int      `json:"max_date_difference_days"`    // between two dates
	TaskTypes  []string `json:"task_types" want:"1 or more"` // kinds of question, equally likely
}

// Check refuses what no tag does.
func (p timeIntervalsParams) Check() error {
	if err := p.checkTimes(); err != nil {
		return err
	}
	if err := p.checkDates(); err != nil {
		return err
	}
	for i, kind := range p.TaskTypes {
		if !slices.Contains(intervalKinds, kind) || slices.Contains(p.TaskTypes[:i], kind) {
			return fmt.Errorf("task_types has %q, want some of %s, each once", kind, strings.Join(intervalKinds, ", "))
		}
	}
	return nil
}

// checkTimes checks the settings for times of day.
func (p timeIntervalsParams) checkTimes() error {
	first, err := readClock(p.MinTime)
	if err != nil {
		return fmt.Errorf("min_time: %w", err)
	}
	last, err := readClock(p.MaxTime)
	if err != nil {
		return fmt.Errorf("max_time: %w", err)
	}
	if last-first < 2*minute {
		return fmt.Errorf("max_time is %s, want two minutes or more after min_time (%s)", p.MaxTime, p.MinTime)
	}
	if p.MaxSeconds < 60 || p.MaxSeconds > 86_400 {
		return fmt.Errorf("max_time_difference_seconds is %d, want 60 to 86400", p.MaxSeconds)
	}
	return nil
}

// checkDates checks the settings for dates.
func (p timeIntervalsParams) checkDates() error {
	first, err := readDate(p.MinDate)
	if err != nil {
		return fmt.Errorf("min_date: %w", err)
	}
	last, err := readDate(p.MaxDate)
	if err != nil {
		return fmt.Errorf("max_date: %w", err)
	}
	if p.MinDate < "1583" {
		return fmt.Errorf("min_date is %s, want 1583-01-01 or later: the Gregorian calendar is from October 1582", p.MinDate)
	}
	if last <= first {
		return fmt.Errorf("max_date is %s, want a date after min_date (%s)", p.MaxDate, p.MinDate)
	}
	if p.MaxDays < 1 || p.MaxDays > int(last-first) {
		return fmt.Errorf("max_date_difference_days is %d, want 1 to the %d days from min_date to max_date", p.MaxDays, last-first)
	}
	return nil
}

// timeIntervalsItem is one question.
type timeIntervalsItem struct {
	TaskType  string `json:"task_type"`
	StartTime string `json:"start_time"`      // as 2022-12-31 23:59:59.999000+05:30, with optional fraction and zone
	EndTime   string `json:"end_time"`        // not before StartTime
	Format    string `json:"format"`          // of both times in the question, in the language of C's strftime
	Expected  string `json:"expected_format"` // of the answer, one of answerForms
	Phrasing  int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeTimeIntervals draws the kind of question, and the two times.
func makeTimeIntervals(p timeIntervalsParams, r *rng.Rand) (timeIntervalsItem, error) {
	item := timeIntervalsItem{TaskType: rng.Pick(r, p.TaskTypes)}
	layout := rng.Pick(r, layouts[item.TaskType])
	item.Format, item.Expected = layout.format, layout.expected
	item.Phrasing = r.Between(0, len(intervalPhrasings)-1)
	start, end := p.oneDay(layout.unit, r)
	switch item.TaskType {
	case kindDate, kindDatetime, kindZone:
		start, end = p.twoDays(layout.unit, r)
	}
	if item.TaskType == kindZone {
		start.zoned, start.offset = true, rng.Pick(r, offsets)
		end.zoned, end.offset = true, rng.Pick(r, offsets)
	}
	if end.since(start) < 0 {
		start, end = end, start // only zones can reverse the order
	}
	item.StartTime, item.EndTime = start.text(), end.text()
	return item, nil
}

// oneDay draws two times of the day 2000-01-01.
func (p timeIntervalsParams) oneDay(unit int64, r *rng.Rand) (start, end moment) {
	first, _ := readClock(p.MinTime) // Check has already read them
	last, _ := readClock(p.MaxTime)
	first, last = (first+unit-1)/unit, last/unit
	length := r.Between64(min(1, last-first), min(int64(p.MaxSeconds)*second/unit, last-first))
	from := r.Between64(first, last-length)
	day := dayOf(2000, 1, 1)
	return moment{day: day, clock: from * unit}, moment{day: day, clock: (from + length) * unit}
}

// twoDays draws two times of different days; for dates alone, unit is 0.
func (p timeIntervalsParams) twoDays(unit int64, r *rng.Rand) (start, end moment) {
	from, _ := readDate(p.MinDate) // Check has already read them
	to, _ := readDate(p.MaxDate)
	days := r.Between(1, p.MaxDays)
	start.day = civilDay(r.Between(int(from), int(to)-days))
	end.day = start.day + civilDay(days)
	if unit == wholeDay {
		return start, end
	}
	first, _ := readClock(p.MinTime)
	last, _ := readClock(p.MaxTime)
	first, last = (first+unit-1)/unit, last/unit
	start.clock, end.clock = r.Between64(first, last)*unit, r.Between64(first, last)*unit
	return start, end
}

// intervalPhrasings are the wordings of the question, around the two times.
var intervalPhrasings = [][3]string{
	{"How much time passes from ", " to ", "?"},
	{"Find the time between ", " and ", "."},
	{"How long is it from ", " until ", "?"},
	{"Start: ", "; end: ", ". How much time lies between the two?"},
	{"Given are two moments, ", " and, later, ", ". How far apart are they?"},
	{"Something lasts from ", " to ", ". What is its duration?"},
}

func (t timeIntervalsItem) Prompt() string {
	start, end, _ := t.moments()
	words := intervalPhrasings[t.Phrasing]
	b := append(make([]byte, 0, 256), words[0]...)
	b = append(start.appendLayout(b, t.Format), words[1]...)
	b = append(end.appendLayout(b, t.Format), words[2]...)
	for _, form := range answerForms {
		if form.name == t.Expected {
			b = append(b, form.instruction...)
		}
	}
	return string(b)
}

func (t timeIntervalsItem) Short() string {
	start, end, _ := t.moments()
	b := append(start.appendLayout(nil, t.Format), " to "...)
	return string(append(append(end.appendLayout(b, t.Format), "; "...), t.Expected...))
}

// moments reads the two times.
func (t timeIntervalsItem) moments() (start, end moment, err error) {
	if start, err = readMoment(t.StartTime); err != nil {
		return start, end, fmt.Errorf("start_time: %w", err)
	}
	if end, err = readMoment(t.EndTime); err != nil {
		return start, end, fmt.Errorf("end_time: %w", err)
	}
	return start, end, nil
}

// Canonical implements [task.Canonicalizer]. The format of the two times does not matter, nor do
// 400 years, after which the calendar repeats; the form of the answer does.
func (t timeIntervalsItem) Canonical() string {
	start, end := inCycle(t.StartTime, t.EndTime)
	return start + " to " + end + "; " + t.Expected
}

// Check refuses a record with unreadable times, or a format that cannot show them.
func (t timeIntervalsItem) Check() error {
	start, end, err := t.moments()
	if err != nil {
		return err
	}
	if !slices.Contains(intervalKinds, t.TaskType) {
		return fmt.Errorf("task_type is %q, want one of %s", t.TaskType, strings.Join(intervalKinds, ", "))
	}
	known := slices.ContainsFunc(answerForms, func(f answerForm) bool { return f.name == t.Expected })
	if inDays := strings.HasPrefix(t.Expected, inDaysForm); !known || inDays != strings.HasPrefix(t.TaskType, kindDate) {
		return fmt.Errorf("expected_format is %q, want one for task_type %s", t.Expected, t.TaskType)
	}
	if end.since(start) < 0 && !strings.HasPrefix(t.TaskType, kindDate) {
		return fmt.Errorf("end_time is %s, want %s or later", t.EndTime, t.StartTime)
	}
	return nil
}

// length returns the time between the two: whole days and the rest, cut off to the unit of
// the form.
func (t timeIntervalsItem) length() (days, rest int64) {
	start, end, _ := t.moments() // Check has already read them
	all := end.since(start)
	unit := second
	switch {
	case t.Expected == inDaysForm:
		return int64(end.day - start.day), 0
	case strings.HasSuffix(t.Expected, "mmm"):
		unit = milli
	case strings.HasSuffix(t.Expected, ":MM"):
		unit = minute
	}
	if strings.HasPrefix(t.Expected, inDaysForm) {
		rest = (all%wholeDay + wholeDay) % wholeDay
		days = (all - rest) / wholeDay
		return days, rest / unit * unit
	}
	return 0, all / unit * unit
}

func (t timeIntervalsItem) Solve() string {
	days, rest := t.length()
	b := make([]byte, 0, 32)
	if strings.HasPrefix(t.Expected, inDaysForm) {
		b = append(strconv.AppendInt(b, days, 10), " days"...)
		if t.Expected == inDaysForm {
			return string(b)
		}
		b = append(b, ", "...)
	}
	b = appendPadded(b, int(rest/hour), 2)
	b = appendPadded(append(b, ':'), int(rest/minute%60), 2)
	if strings.HasSuffix(t.Expected, ":MM") {
		return string(b)
	}
	b = appendPadded(append(b, ':'), int(rest/second%60), 2)
	if strings.HasSuffix(t.Expected, "mmm") {
		b = appendPadded(append(b, '.'), int(rest/milli%1000), 3)
	}
	return string(b)
}

func (t timeIntervalsItem) Score(text string) quintain.Verdict {
	wantDays, wantRest := t.length()
	days, got, rest, ok := int64(0), int64(0), answer.Trim(text), true
	if strings.HasPrefix(t.Expected, inDaysForm) {
		days, rest, ok = cutDays(rest)
	}
	if t.Expected == inDaysForm {
		ok = ok && rest == ""
	} else if ok {
		got, ok = readLength(rest)
	}
	if !ok {
		return quintain.Malformed("the answer does not have the form " + t.Expected)
	}
	if days == wantDays && got == wantRest {
		return quintain.Right()
	}
	return quintain.Wrong("want " + t.Solve())
}

// cutDays reads the days at the beginning of text, and returns the rest after the comma.
// The word may be missing if there is no comma.
func cutDays(text string) (days int64, rest string, ok bool) {
	count, rest, more := strings.Cut(text, ",")
	count = answer.Trim(count)
	number := strings.TrimSuffix(strings.TrimSuffix(count, " days"), " day")
	if rest = answer.Trim(rest); more && (rest == "" || number == count) {
		return 0, "", false
	}
	days, ok = answer.ReadInt(number)
	return days, rest, ok
}
