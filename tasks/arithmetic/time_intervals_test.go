package arithmetic

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestTimeIntervalsOfADayScore(t *testing.T) {
	const day = "2000-01-01 "
	short := timeIntervalsItem{TaskType: kindTime, StartTime: day + "22:20:00", EndTime: day + "23:50:00", Format: "%H:%M", Expected: "HH:MM"}
	tasktest.Nears(t, short.Score, []tasktest.Near{
		{"01:30", 1, ""},
		{" 1:30\n", 1, "one digit, and space"},
		{"01:30:00", 1, "seconds too"},
		{"01:31", 0, "a minute off; reasoning-gym pays 0.9993"},
		{"02:30", 0, "an hour"},
		{"12:00", 0, "half a day; it pays 0.56"},
		{"00:90", 0, "too many minutes"},
		{"02:-30", 0, ""},
		{"-01:30", 0, ""},
		{"01:30:00:00", 0, ""},
		{"90", 0, "minutes"},
		{"90 minutes", 0, ""},
		{"1.5", 0, "hours"},
		{"01:30 or 02:30", 0, "two answers"},
		{"0 days, 01:30", 0, "another form"},
	})
	fine := timeIntervalsItem{TaskType: kindMillis, StartTime: day + "00:25:00.516000", EndTime: day + "05:17:09.041000", Format: "%H:%M:%S.%f", Expected: "HH:MM:SS.mmm"}
	tasktest.Nears(t, fine.Score, []tasktest.Near{
		{"04:52:08.525", 1, ""},
		{"4:52:8.525", 1, ""},
		{"04:52:08.524", 0, "a millisecond off"},
		{"04:52:08", 0, "no fraction"},
		{"04:52:08.5", 0, "one digit of three"},
		{"04:52:08.5250", 0, "four"},
		{"04:52:08,525", 0, "a comma"},
		{"04:52:60.525", 0, ""},
	})
}

func TestTimeIntervalsOfDaysScore(t *testing.T) {
	date := timeIntervalsItem{TaskType: kindDate, StartTime: "2295-06-28 00:00:00", EndTime: "2295-09-02 00:00:00", Format: "%a %b %d %Y", Expected: "D days"}
	tasktest.Nears(t, date.Score, []tasktest.Near{
		{"66 days", 1, ""},
		{"66 day", 1, ""},
		{" 66 ", 1, "the number alone"},
		{"67 days", 0, "the last day too"},
		{"66 days 67 days", 0, "two answers; reasoning-gym reads the first"},
		{"66 days, 00:00", 0, "another form"},
		{"66,", 0, ""},
		{"-66 days", 0, ""},
		{"days", 0, ""},
	})
	zones := timeIntervalsItem{
		TaskType: kindZone, StartTime: "2867-07-05 20:54:00+06:00", EndTime: "2867-07-18 08:50:00-07:00",
		Format: "%Y-%m-%d %H:%M %z", Expected: "D days, HH:MM:SS",
	}
	tasktest.Nears(t, zones.Score, []tasktest.Near{
		{"13 days, 00:56:00", 1, ""},
		{"13 days,0:56", 1, "without seconds, which are none"},
		{"13 day, 00:56:00", 1, ""},
		{"12 days, 11:56:00", 0, "as if both were in one time zone"},
		{"12 days, 24:56:00", 0, "a day as hours"},
		{"13 days", 0, "no time"},
		{"13 days,", 0, ""},
		{"13, 00:56:00", 0, "no word"},
		{"00:56:00", 0, "no days"},
		{"13 days, 00:56:00, 00:57:00", 0, "two answers"},
	})
	for _, item := range []timeIntervalsItem{date, zones} {
		if err := task.Check(item); err != nil {
			t.Error(err)
		}
	}
}

func TestTimeIntervalsRecords(t *testing.T) {
	good := timeIntervalsItem{TaskType: kindSeconds, StartTime: "2000-01-01 08:00:00", EndTime: "2000-01-01 09:00:00", Format: "%H:%M:%S", Expected: "HH:MM:SS"}
	if err := task.Check(good); err != nil {
		t.Error(err)
	}
	for why, spoil := range map[string]func(*timeIntervalsItem){
		"no start":             func(i *timeIntervalsItem) { i.StartTime = "" },
		"no clock":             func(i *timeIntervalsItem) { i.EndTime = "2000-01-01" },
		"no date":              func(i *timeIntervalsItem) { i.EndTime = "2000-13-01 09:00:00" },
		"no hour":              func(i *timeIntervalsItem) { i.EndTime = "2000-01-01 24:00:00" },
		"no zone":              func(i *timeIntervalsItem) { i.EndTime = "2000-01-01 09:00:00+0x:00" },
		"no fraction":          func(i *timeIntervalsItem) { i.EndTime = "2000-01-01 09:00:00.x" },
		"another kind":         func(i *timeIntervalsItem) { i.TaskType = "years" },
		"another form":         func(i *timeIntervalsItem) { i.Expected = "HH" },
		"the form of a date":   func(i *timeIntervalsItem) { i.Expected = "D days" },
		"the form of a time":   func(i *timeIntervalsItem) { i.TaskType = kindDate },
		"the end is too early": func(i *timeIntervalsItem) { i.EndTime = "2000-01-01 07:00:00" },
		"another wording":      func(i *timeIntervalsItem) { i.Phrasing = 99 },
	} {
		bad := good
		spoil(&bad)
		if task.Check(bad) == nil {
			t.Errorf("a record is accepted: %s", why)
		}
	}
	back := timeIntervalsItem{TaskType: kindZone, StartTime: "2000-01-02 00:00:00+00:00", EndTime: "2000-01-02 00:00:00+02:00", Format: "%Y", Expected: "D days, HH:MM"}
	if err := task.Check(back); err != nil || back.Solve() != "-1 days, 22:00" || back.Score(back.Solve()) != quintain.Right() {
		t.Errorf("two hours back, which reasoning-gym has: %q, error %v", back.Solve(), err)
	}
}

func TestTimeIntervalsParams(t *testing.T) {
	tasktest.Refused(t, timeIntervals.Task(), map[string]string{
		`{"min_time":"8:00"}`:                   "min_time",
		`{"max_time":"24:00:00"}`:               "max_time",
		`{"min_time":"23:58:30"}`:               "max_time",
		`{"max_time_difference_seconds":59}`:    "max_time_difference_seconds",
		`{"max_time_difference_seconds":86401}`: "max_time_difference_seconds",
		`{"min_date":"1900-02-29"}`:             "min_date",
		`{"min_date":"1582-12-31"}`:             "1583",
		`{"max_date":"tomorrow"}`:               "max_date",
		`{"max_date":"1900-01-01"}`:             "max_date",
		`{"max_date_difference_days":0}`:        "max_date_difference_days",
		`{"max_date":"1900-01-10"}`:             "max_date_difference_days",
		`{"task_types":[]}`:                     "task_types",
		`{"task_types":["time","time"]}`:        "task_types",
		`{"task_types":["years"]}`:              "task_types",
	})
	narrow, err := timeIntervals.Task().With([]byte(`{"min_time":"12:00:30","max_time":"12:02:30","max_date":"1900-01-02","max_date_difference_days":1,"max_time_difference_seconds":60}`))
	for i := 0; i < 200 && err == nil; i++ {
		_, err = narrow.Problem(quintain.Draw{Index: i})
	}
	if err != nil {
		t.Error(err)
	}
}

// The second solver reads the prompt with the standard library.
func TestTimeIntervalsSecond(t *testing.T) {
	tasktest.Second(t, timeIntervals.Task(), 1800, func(item timeIntervalsItem, prompt, got string) error {
		words := intervalPhrasings[item.Phrasing]
		asked := strings.TrimPrefix(prompt, words[0])
		asked, form, _ := strings.Cut(asked, words[2]+" Answer with ")
		from, to, _ := strings.Cut(asked, words[1])
		start, err := readShown(from)
		if err != nil {
			return err
		}
		end, err := readShown(to)
		if err != nil {
			return err
		}
		want, length := "", end.Sub(start)
		if strings.Contains(form, "days") {
			n := int((end.Unix() - start.Unix()) / 86400)
			want, length = fmt.Sprintf("%d days", n), end.Sub(start.AddDate(0, 0, n))
		}
		if strings.Contains(form, "HH") {
			layout := "15:04:05.000"[:strings.Index(form, ", for")-strings.Index(form, "HH")]
			want = strings.TrimPrefix(want+", "+time.Time{}.Add(length).Format(layout), ", ")
		}
		if got != want || length < 0 {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		return nil
	})
}

// shownDayRE finds the weekday of a date, which must be right.
var shownDayRE = regexp.MustCompile(`\b(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?\b`)

// readShown reads a time in any format of the questions.
func readShown(text string) (time.Time, error) {
	day := shownDayRE.FindString(text)
	plain := text
	if day != "" {
		plain = strings.NewReplacer(day+", ", "", " ("+day+")", "", day+" ", "").Replace(plain)
	}
	plain = strings.NewReplacer("(UTC", "", "UTC", "", ")", "", " at ", " ", ", ", " ").Replace(plain)
	for _, date := range []string{"", "2006-01-02", "January 2 2006", "2 January 2006", "2 Jan 2006", "Jan 2 2006"} {
		for _, clock := range []string{"", " 15:04", " 15:04:05", " 15:04:05.000"} {
			for _, zone := range []string{"", " -0700"} {
				at, err := time.Parse(strings.TrimSpace(date+clock+zone), plain)
				if err != nil {
					continue
				}
				if !strings.HasPrefix(at.Weekday().String(), day) {
					return at, fmt.Errorf("%s is no %s", text, day)
				}
				return at, nil
			}
		}
	}
	return time.Time{}, fmt.Errorf("%q cannot be read", plain)
}

func TestTimeIntervalsKeys(t *testing.T) {
	tasktest.Variant(t, timeIntervals.Task(), "written in another format", func(item *timeIntervalsItem, r *rng.Rand) func(string) string {
		for _, other := range layouts[item.TaskType] {
			if other.expected == item.Expected && r.Chance(0.7) {
				item.Format = other.format
			}
		}
		return nil
	})
	tasktest.Variant(t, timeIntervals.Task(), "400 years later", func(item *timeIntervalsItem, _ *rng.Rand) func(string) string {
		if year, err := strconv.Atoi(item.EndTime[:4]); err == nil && year < 9000 {
			end := strconv.Itoa(year+400) + item.EndTime[4:]
			start, _ := strconv.Atoi(item.StartTime[:4])
			item.StartTime, item.EndTime = fmt.Sprintf("%04d%s", start+400, item.StartTime[4:]), end
		}
		return nil
	})
	tasktest.Same(t, timeIntervals.Task(), "how the times are written is free", func(item *timeIntervalsItem) {
		for _, other := range layouts[item.TaskType] {
			if other.expected == item.Expected {
				item.Format = other.format
			}
		}
	})
	tasktest.Other(t, timeIntervals.Task(), "an answer in another form", func(item *timeIntervalsItem) {
		if item.Expected == "D days, HH:MM" {
			item.Expected = "D days, HH:MM:SS"
		}
	})
}
