package arithmetic

import (
	"bytes"
	"encoding/json"
	"regexp"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
)

// A calendarTask is calendarArithmetic, which can also grade the one kind of
// reasoning-gym's entries whose metadata do not say all that is asked: the weekday
// that is to be counted stands in the question only.
type calendarTask struct {
	task.Spec[calendarParams, calendarItem]
}

// With implements [quintain.Task].
func (c calendarTask) With(params json.RawMessage) (quintain.Task, error) {
	own, err := c.Spec.With(params)
	if spec, is := own.(task.Spec[calendarParams, calendarItem]); is {
		return calendarTask{spec}, err
	}
	return own, err
}

// Grade implements [quintain.Task].
func (c calendarTask) Grade(p quintain.Problem, answer string) (quintain.Verdict, error) {
	return c.Spec.Grade(withWeekday(p), answer)
}

// Solve implements [quintain.Task].
func (c calendarTask) Solve(p quintain.Problem) (string, error) { return c.Spec.Solve(withWeekday(p)) }

// withWeekday returns p with the weekday that its question asks for, where its record
// counts days and names none.
func withWeekday(p quintain.Problem) quintain.Problem {
	if _, ours := p.Instance.Value().(calendarItem); ours {
		return p
	}
	raw, err := p.Instance.JSON()
	if err != nil || !bytes.Contains(raw, []byte(`"`+countDays+`"`)) || bytes.Contains(raw, []byte(`"weekday"`)) {
		return p
	}
	end := bytes.LastIndexByte(raw, '}')
	if weekday := askedWeekday(p.Prompt); weekday != "" && end >= 0 {
		raw = append(raw[:end:end], `,"weekday":"`+weekday+`"}`...)
		p.Instance = quintain.RawRecord(raw)
	}
	return p
}

// weekdayRE finds weekdays, and the month and the day behind those of a date.
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
