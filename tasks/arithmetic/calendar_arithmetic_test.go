package arithmetic

import (
	"encoding/json"
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

func TestCalendarScore(t *testing.T) {
	weekday := calendarItem{Task: weekdayOffset, StartDate: "2022-12-11", OffsetDays: 85}
	tasktest.Nears(t, weekday.Score, []tasktest.Near{
		{"Monday", 1, ""},
		{" Monday\n", 1, "space around it is free"},
		{"monday", 0.05, "reasoning-gym pays little for it in another case"},
		{"MONDAY", 0.05, ""},
		{"Tuesday", 0, "another weekday; it pays 0.1"},
		{"tuesday", 0, "it pays 0.05"},
		{"Mon", 0, "short"},
		{"Monday.", 0, "a full stop"},
		{"Monday or Tuesday", 0, "two answers"},
		{"1", 0, "a number"},
	})
	count := calendarItem{Task: countBusiness, StartDate: "2022-03-05", EndDate: "2022-06-01"}
	tasktest.Nears(t, count.Score, []tasktest.Near{
		{"63", 1, ""},
		{" +063\n", 1, "other spellings of the number"},
		{"64", 0, "one off; reasoning-gym pays 0.92"},
		{"62", 0, ""},
		{"89", 0, "all days"},
		{"63.0", 0, "no whole number"},
		{"sixty-three", 0, ""},
		{"63 days", 0, ""},
	})
	leap := calendarItem{Task: leapYear, Year: 1900}
	tasktest.Nears(t, leap.Score, []tasktest.Near{
		{"No", 1, ""}, {" no ", 1, "case and space are free"}, {"NO", 1, ""},
		{"Yes", 0, ""}, {"No, it is not", 0, ""}, {"Yes No", 0, "both"}, {"false", 0, ""}, {"", 0, ""},
	})
	none := calendarItem{Task: recurringDay, Year: 2022, Month: 9, Ordinal: "fifth", Weekday: "Monday"}
	tasktest.Nears(t, none.Score, []tasktest.Near{{"-1", 1, ""}, {"1", 0, ""}, {"26", 0, "the last one"}, {"33", 0, ""}})
}

func TestCalendarAnswers(t *testing.T) {
	isLeap := true
	for _, test := range []struct {
		item calendarItem
		want string
		why  string
	}{
		{calendarItem{Task: weekdayOffset, StartDate: "2022-10-23", OffsetDays: -97}, "Monday", "backwards"},
		{calendarItem{Task: weekdayOfDate, TargetDate: "2000-02-29"}, "Tuesday", ""},
		{calendarItem{Task: weekdayFromFirst, FirstDay: "Sunday", DeltaDays: 3, TargetDate: "2022-01-04", Year: 2022}, "Wednesday", ""},
		{calendarItem{Task: recurringDay, Year: 2022, Month: 9, Ordinal: "third", Weekday: "Friday"}, "16", ""},
		{calendarItem{Task: recurringDay, Year: 2022, Month: 9, Ordinal: "last", Weekday: "Friday"}, "30", "the fifth"},
		{calendarItem{Task: recurringDay, Year: 2022, Month: 9, Ordinal: "last", Weekday: "Monday"}, "26", "the fourth"},
		{calendarItem{Task: recurringDay, Year: 2022, Month: 9, Ordinal: "fifth", Weekday: "Friday"}, "30", ""},
		{calendarItem{Task: countDays, StartDate: "2022-09-23", EndDate: "2022-09-26", Weekday: "Monday"}, "1", ""},
		{calendarItem{Task: countDays, StartDate: "2022-09-23", EndDate: "2022-09-25", Weekday: "Monday"}, "0", ""},
		{calendarItem{Task: countBusiness, StartDate: "2022-09-24", EndDate: "2022-09-25"}, "0", "a weekend"},
		{calendarItem{Task: leapYear, Year: 2056, IsLeap: &isLeap}, "Yes", ""},
		{calendarItem{Task: leapYear, Year: 1900, IsLeap: &isLeap}, "", "it is none"},
		{calendarItem{Task: leapYear}, "", "no year"},
		{calendarItem{Task: "moon"}, "", "no such kind"},
		{calendarItem{Task: weekdayOffset, StartDate: "2022-13-01", OffsetDays: 1}, "", "no date"},
		{calendarItem{Task: weekdayOffset, StartDate: "2022-12-01", OffsetDays: 1e9}, "", "too far"},
		{calendarItem{Task: weekdayOfDate}, "", "no date"},
		{calendarItem{Task: weekdayFromFirst, FirstDay: "Sun", DeltaDays: 3, TargetDate: "2022-01-04"}, "", "no weekday"},
		{calendarItem{Task: weekdayFromFirst, FirstDay: "Sunday", DeltaDays: -1, TargetDate: "2022-01-04"}, "", ""},
		{calendarItem{Task: weekdayFromFirst, FirstDay: "Sunday", DeltaDays: 3}, "", "no date"},
		{calendarItem{Task: recurringDay, Year: 2022, Month: 13, Ordinal: "third", Weekday: "Friday"}, "", "no month"},
		{calendarItem{Task: recurringDay, Year: 2022, Month: 9, Ordinal: "sixth", Weekday: "Friday"}, "", ""},
		{calendarItem{Task: countDays, StartDate: "2022-09-23", EndDate: "2022-09-26"}, "", "no weekday"},
		{calendarItem{Task: countDays, StartDate: "2022-09-23", Weekday: "Monday"}, "", "no end"},
		{calendarItem{Task: countBusiness, EndDate: "2022-09-23"}, "", "no start"},
		{calendarItem{Task: leapYear, Year: 2056, Phrasing: 6}, "", "no such wording"},
	} {
		err := task.Check(test.item)
		if want := test.want; (err == nil) != (want != "") || err == nil && test.item.Solve() != want {
			t.Errorf("%+v has the answer %q, error %v, want %q (%s)", test.item, test.item.Solve(), err, test.want, test.why)
		}
	}
}

func TestCalendarParams(t *testing.T) {
	tasktest.Refused(t, calendarArithmetic.Task(), map[string]string{
		`{"year":0}`:         "year",
		`{"year":10000}`:     "year",
		`{"tasks":[]}`:       "tasks",
		`{"tasks":["moon"]}`: "tasks",
		`{"tasks":["is_leap_year","is_leap_year"]}`: "tasks",
		`{"offset_upper_bound":0}`:                  "offset_upper_bound",
		`{"offset_upper_bound":1000001}`:            "offset_upper_bound",
		`{"leap_year_range":-1}`:                    "leap_year_range",
		`{"leap_year_range":2022}`:                  "leap_year_range",
		`{"year_range":-1}`:                         "year_range",
		`{"year_range":2021}`:                       "year_range",
		`{"offset_upper_bound":800000}`:             "year_range",
	})
}

// The question states the weekday of January 1, so it never asks for it.
func TestFirstDayIsNotAsked(t *testing.T) {
	own, err := calendarArithmetic.Task().With([]byte(`{"tasks":["weekday_of_date_from_first_date"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2000 { // five of them by chance
		p, err := own.Problem(quintain.Draw{Index: i})
		if err != nil {
			t.Fatal(err)
		}
		if item, _ := p.Instance.Value().(calendarItem); item.DeltaDays < 1 || item.DeltaDays > 365 {
			t.Errorf("index %d asks for the day %d days after January 1: %s", i, item.DeltaDays, p.Prompt)
		}
	}
}

// Half of the years are leap years, and neither even nor round numbers give that away.
func TestLeapYearsAreBalanced(t *testing.T) {
	own, err := calendarArithmetic.Task().With([]byte(`{"tasks":["is_leap_year"]}`))
	if err != nil {
		t.Fatal(err)
	}
	const draws = 2000
	leap, even := 0, 0
	for i := range draws {
		p, err := own.Problem(quintain.Draw{Index: i})
		if err != nil {
			t.Fatal(err)
		}
		item, _ := p.Instance.Value().(calendarItem)
		switch {
		case isLeap(item.Year):
			leap++
		case item.Year%2 == 0:
			even++
		}
	}
	if leap < 900 || leap > 1100 || even < 450 || even > 800 {
		t.Errorf("of %d years %d are leap years, and %d others even", draws, leap, even)
	}
	narrow, err := calendarArithmetic.Task().With([]byte(`{"tasks":["is_leap_year"],"leap_year_range":0}`))
	if err != nil {
		t.Fatal(err)
	}
	if p, err := narrow.Problem(quintain.Draw{}); err != nil || !strings.Contains(p.Prompt, "2022") {
		t.Errorf("a range of one year: %q, error %v", p.Prompt, err)
	}
}

// Entries of reasoning-gym name the weekday to count only in the question.
func TestCountDaysOfEntries(t *testing.T) {
	const record = `{"task":"count_days","year":2022,"start_date":"2022-09-23","end_date":"2022-09-26"}`
	for _, test := range []struct {
		question, want string
	}{
		{"Between Friday, September 23, 2022 and Monday, September 26, 2022 (counting both dates), how many times does Monday occur?", "1"},
		{"How many Tuesdays are there from Friday, September 23, 2022 to Monday, September 26, 2022?", "0"},
		{"Count the occurrences of Sunday from Friday, September 23 to Monday, September 26, 2022.", "1"},
		{"Count Mondays and Sundays.", ""},
		{"Count.", ""},
	} {
		p := quintain.Problem{Task: "calendar_arithmetic", Level: quintain.OwnParams, Prompt: test.question, Instance: quintain.RawRecord([]byte(record))}
		got, err := calendarArithmetic.Task().Solve(p)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s: %q, error %v, want %q", test.question, got, err, test.want)
		}
		if v, err := calendarArithmetic.Task().Grade(p, "1"); err == nil && (v.Score == 1) != (test.want == "1") {
			t.Errorf("%s: verdict %+v", test.question, v)
		}
	}
}

var (
	longDateRE = regexp.MustCompile(`[A-Z][a-z]+ \d+, \d+`)
	spanRE     = regexp.MustCompile(`(\d+) days?`)
	backRE     = regexp.MustCompile(`ago|earlier|back from|passed before|after some day`)
	ordinalRE  = regexp.MustCompile(`the (\w+) (\w+day) (?:in|of) (\w+) (\d+)`)
	firstDayRE = regexp.MustCompile(`(?s)(common|leap)\b.*?((?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day).*?((?:January|February|March|April|May|June|July|August|September|October|November|December) \d+)`)
	countedRE  = regexp.MustCompile(`(?:many|the|every|each|Weekday:) (\w+day)`)
)

// The second solver reads the prompt and goes from day to day with the standard library.
func TestCalendarSecond(t *testing.T) {
	tasktest.Second(t, calendarArithmetic.Task(), 1800, func(item calendarItem, prompt, got string) error {
		want, err := calendarAnswer(item.Task, prompt)
		if err == nil && got != want {
			err = fmt.Errorf("solution %s, want %s", got, want)
		}
		return err
	})
}

// calendarAnswer answers a question of a kind.
func calendarAnswer(kind, prompt string) (string, error) {
	var dates []time.Time
	for _, text := range longDateRE.FindAllString(prompt, -1) {
		date, err := time.Parse("January 2, 2006", fourDigits(text))
		if err != nil {
			return "", err
		}
		if !strings.Contains(kind, "of_date") && !strings.Contains(prompt, date.Weekday().String()+", "+text) {
			return "", fmt.Errorf("%s is no %s", text, date.Weekday())
		}
		dates = append(dates, date)
	}
	switch kind {
	case weekdayOfDate:
		return dates[0].Weekday().String(), nil
	case weekdayOffset:
		span := spanRE.FindStringSubmatch(prompt)
		days, err := strconv.Atoi(span[1])
		if backRE.MatchString(prompt) {
			days = -days
		}
		return dates[0].AddDate(0, 0, days).Weekday().String(), err
	case countDays, countBusiness:
		counted := func(d time.Time) bool { return d.Weekday() != time.Saturday && d.Weekday() != time.Sunday }
		if kind == countDays {
			name := countedRE.FindStringSubmatch(prompt)[1]
			counted = func(d time.Time) bool { return d.Weekday().String() == name }
		}
		n := 0
		for d := dates[0]; !d.After(dates[1]); d = d.AddDate(0, 0, 1) {
			if counted(d) {
				n++
			}
		}
		return strconv.Itoa(n), nil
	}
	return monthAnswer(kind, prompt)
}

// fourDigits pads the year of a date.
func fourDigits(date string) string {
	i := strings.LastIndexByte(date, ' ') + 1
	return date[:i] + strings.Repeat("0", 4-len(date[i:])) + date[i:]
}

// monthAnswer answers the questions without a full date.
func monthAnswer(kind, prompt string) (string, error) {
	switch kind {
	case leapYear:
		digits := regexp.MustCompile(`\d+`).FindString(prompt)
		if year, err := strconv.Atoi(digits); err != nil || time.Date(year, 2, 29, 0, 0, 0, 0, time.UTC).Month() != time.February {
			return "No", err
		}
		return "Yes", nil
	case weekdayFromFirst:
		found := firstDayRE.FindStringSubmatch(prompt)
		for year := 1999; found != nil; year++ {
			first := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
			if leap := first.AddDate(1, 0, -1).YearDay() == 366; leap == (found[1] == "leap") && first.Weekday().String() == found[2] {
				date, err := time.Parse("January 2, 2006", found[3]+", "+strconv.Itoa(year))
				return date.Weekday().String(), err
			}
		}
	case recurringDay:
		found := ordinalRE.FindStringSubmatch(prompt)
		if found == nil {
			break
		}
		first, err := time.Parse("January 2, 2006", fourDigits(found[3]+" 1, "+found[4]))
		if err != nil {
			return "", err
		}
		days := []string{}
		for d := first; d.Month() == first.Month(); d = d.AddDate(0, 0, 1) {
			if d.Weekday().String() == found[2] {
				days = append(days, strconv.Itoa(d.Day()))
			}
		}
		place := map[string]int{"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "last": len(days) - 1}[found[1]]
		if place >= len(days) {
			return "-1", nil
		}
		return days[place], nil
	}
	return "", fmt.Errorf("the prompt of %s cannot be read", kind)
}

func TestCalendarRecordsAreSmall(t *testing.T) {
	b, err := json.Marshal(calendarItem{Task: weekdayOfDate, TargetDate: "2000-02-29"})
	if want := `{"task":"weekday_of_date","target_date":"2000-02-29"}`; err != nil || string(b) != want {
		t.Errorf("record %s, error %v, want %s", b, err, want)
	}
}

func TestCalendarArithmeticKeys(t *testing.T) {
	tasktest.Variant(t, calendarArithmetic.Task(), "from another date with the same weekday", func(c *calendarItem, r *rng.Rand) func(string) string {
		if c.Task != weekdayOffset {
			return nil
		}
		weeks := r.Between(1, 50)
		for _, date := range []*string{&c.StartDate, &c.TargetDate} {
			if of, err := time.Parse(time.DateOnly, *date); err == nil {
				*date = of.AddDate(0, 0, 7*weeks).Format(time.DateOnly)
			}
		}
		return nil
	})
	tasktest.Variant(t, calendarArithmetic.Task(), "400 years later", func(c *calendarItem, _ *rng.Rand) func(string) string {
		for _, date := range []*string{&c.StartDate, &c.EndDate, &c.TargetDate} {
			if *date > "2600" {
				return nil
			}
		}
		for _, date := range []*string{&c.StartDate, &c.EndDate, &c.TargetDate} {
			if year, err := strconv.Atoi(strings.Split(*date, "-")[0]); err == nil {
				*date = fmt.Sprintf("%04d%s", year+400, (*date)[4:])
			}
		}
		if c.Year > 0 {
			c.Year += 400
		}
		return nil
	})
	tasktest.Same(t, calendarArithmetic.Task(), "of the year, only its kind is asked about", func(c *calendarItem) {
		if c.Task == weekdayFromFirst {
			c.Year, c.TargetDate = c.Year+400, strconv.Itoa(c.Year+400)+c.TargetDate[4:]
		}
	})
	tasktest.Other(t, calendarArithmetic.Task(), "other dates have other weekdays", func(c *calendarItem) {
		if c.Task == weekdayOfDate {
			c.TargetDate = c.TargetDate[:4] + "-01-01"
		}
	})
}
