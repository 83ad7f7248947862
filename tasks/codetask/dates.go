package codetask

import (
	"fmt"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/task/rng"
)

const dateForm = "2006-01-02"

// dateField describes a date.
func dateField(name string) field {
	return field{name: name, form: word, len: span{10, 10}, what: "a date of the Gregorian calendar as YYYY-MM-DD, from 1900-01-01 to 2099-12-31"}
}

// day returns the n-th day from 1900-01-01, the last one at most 2099-12-31.
func day(n int64) time.Time {
	return time.Date(1900, 1, 1+int(max(0, min(n, 73048))), 0, 0, 0, 0, time.UTC)
}

// dayOf reads a date.
func dayOf(text string) time.Time {
	date, _ := time.Parse(dateForm, text) // the package wrote it
	return date
}

// drawDay draws a day; often one near the end of a month or of February.
func drawDay(r *rng.Rand) int64 {
	n := r.Between64(0, 73048)
	if r.Chance(0.5) {
		year, month := r.Between(1900, 2099), rng.Pick(r, []time.Month{1, 2, 3, 3, 12, time.Month(r.Between(1, 12))})
		n = int64(time.Date(year, month, r.Between(-1, 2), 0, 0, 0, 0, time.UTC).Sub(day(0)) / (24 * time.Hour))
	}
	return max(0, min(n, 73048))
}

// dayRules are properties of days; weekday is one that is drawn, Monday is 0.
var dayRules = []struct {
	text, py string
	is       func(t time.Time, k int) bool
}{
	{"that fall on a $w", "day.weekday() == $k", func(t time.Time, k int) bool { return weekday(t) == k }},
	{"that fall on a Saturday or a Sunday", "day.weekday() >= 5", func(t time.Time, _ int) bool { return weekday(t) >= 5 }},
	{"that are the last of their month", "(day + timedelta(1)).day == 1", func(t time.Time, _ int) bool { return t.AddDate(0, 0, 1).Day() == 1 }},
	{"with a number in the month that is divisible by $d", "day.day % $d == 0", func(t time.Time, k int) bool { return t.Day()%(k+2) == 0 }},
	{"that are the first $w of their month", "day.weekday() == $k and day.day <= 7", func(t time.Time, k int) bool { return weekday(t) == k && t.Day() <= 7 }},
	{"with the same number as their month, such as the 3rd of March", "day.day == day.month", func(t time.Time, _ int) bool { return t.Day() == int(t.Month()) }},
	{"in a month of 30 days", "day.month in (4, 6, 9, 11)", func(t time.Time, _ int) bool { return strings.Contains(" 4 6 9 11 ", fmt.Sprintf(" %d ", t.Month())) }},
	{"that are the 13th of a month and a $w", "day.day == 13 and day.weekday() == $k", func(t time.Time, k int) bool { return t.Day() == 13 && weekday(t) == k }},
}

// weekday is 0 for Monday.
func weekday(t time.Time) int { return (int(t.Weekday()) + 6) % 7 }

var weekdays = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

// countDays counts days between two dates.
func countDays(r *rng.Rand) draft {
	rule, id := pick(r, dayRules)
	k := r.Between(0, 6)
	ends, endsID := pick(r, []string{"both included", "`first` included and `last` not", "neither of them included"})
	not := r.Chance(0.25)
	pairs := []string{"$w", weekdays[k], "$k", fmt.Sprint(k), "$d", fmt.Sprint(k + 2)}
	d := draft{
		task:   fill("Count the days from `first` to `last`, $e, $r.", "$e", ends, "$r", fill(rule.text, pairs...)),
		want:   "their number",
		form:   number,
		fields: []field{dateField("first"), dateField("last")},
		before: "from datetime import date, timedelta\n",
		body: fill("    day = date.fromisoformat(first)$after\n    end = date.fromisoformat(last)\n    count = 0\n    while day $c end:\n        if $r:\n            count += 1\n        day += timedelta(1)\n    return count\n",
			"$after", map[bool]string{true: " + timedelta(1)"}[endsID == 2], "$c", map[bool]string{true: "<=", false: "<"}[endsID == 0], "$r", fill(rule.py, pairs...)),
		drawn: []int64{id, int64(k), endsID, bit(not)},
		make: func(r *rng.Rand, s size) input {
			first := day(drawDay(r))
			last := first.AddDate(0, 0, r.Between(0, []int{40, 800, 8000}[bit(s.len > 3)+bit(s.len > 20)]))
			for near := bit(r.Chance(0.4)) * 400; near < 400 && !rule.is(last, k); near++ {
				last = last.AddDate(0, 0, 1)
			}
			for near := bit(r.Chance(0.4)) * 400; near < 400 && !rule.is(first, k) && first.Before(last); near++ {
				first = first.AddDate(0, 0, 1)
			}
			if next := first.AddDate(0, 0, r.Between(0, 1)); next.Before(last) {
				first = next
			}
			last = last.AddDate(0, 0, r.Between(0, 1))
			last = dayOf(min(last.Format(dateForm), "2099-12-31"))
			if s.len == 0 {
				last = first
			}
			return input{first.Format(dateForm), last.Format(dateForm)}
		},
		solve: func(in input) any {
			first, last, n := dayOf(in.text(0)), dayOf(in.text(1)), int64(0)
			for t := first.AddDate(0, 0, int(bit(endsID == 2))); t.Before(last) || endsID == 0 && t.Equal(last); t = t.AddDate(0, 0, 1) {
				n += bit(rule.is(t, k) != not)
			}
			return n
		},
	}
	d.fields[1].also = ", not before `first`"
	if not {
		d.task = fill("Count the days from `first` to `last`, $e, but without those $r.", "$e", ends, "$r", fill(rule.text, pairs...))
		d.body = fill(d.body, "if "+fill(rule.py, pairs...)+":", "if not ("+fill(rule.py, pairs...)+"):")
	}
	return d
}

// dateStyles are ways to write a date, in Go and in Python.
var dateStyles = []struct{ text, form, py string }{
	{"as DD.MM.YYYY, such as 05.03.2024", "02.01.2006", "{day.day:02}.{day.month:02}.{day.year}"},
	{"as YYYY/MM/DD, such as 2024/03/05", "2006/01/02", "{day.year}/{day.month:02}/{day.day:02}"},
	{"as D-M-YY with the last two digits of the year, such as 5-3-24", "2-1-06", "{day.day}-{day.month}-{day.year % 100:02}"},
	{"as MMDDYYYY, such as 03052024", "01022006", "{day.month:02}{day.day:02}{day.year}"},
}

// shiftDate moves a date by days of some kind.
func shiftDate(r *rng.Rand) draft {
	unit, id := pick(r, []struct{ text, py string }{
		{"days", ""}, {"weeks", ""}, {"working days (Monday to Friday)", "day.weekday() < 5"},
		{"days other than Sundays", "day.weekday() != 6"},
		{"days that are not the first of a month", "day.day != 1"}, {"days with an odd number in their month", "day.day % 2 == 1"},
	})
	way, back := either(r, "after", "before")
	style, styleID := pick(r, dateStyles)
	name := r.Chance(0.5)
	step := map[bool]string{false: "+", true: "-"}[back]
	body := fill("    day = date.fromisoformat(start) $s timedelta($u=n)\n", "$s", step, "$u", map[bool]string{true: "weeks", false: "days"}[id == 1])
	if id > 1 {
		body = fill("    day = date.fromisoformat(start)\n    while n > 0:\n        day $s= timedelta(1)\n        if $r:\n            n -= 1\n", "$s", step, "$r", unit.py)
	}
	names := map[bool]string{true: `{"Mon Tue Wed Thu Fri Sat Sun".split()[day.weekday()]} `}[name]
	d := draft{
		task:   fill("Find the date that is `n` $u $w `start`.", "$u", unit.text, "$w", way),
		want:   "that date " + style.text,
		form:   word,
		fields: []field{dateField("start"), {name: "n", form: number, val: span{0, 500}}},
		before: "from datetime import date, timedelta\n",
		body:   body + "    return f'" + names + style.py + "'\n",
		drawn:  []int64{id, bit(back), styleID, bit(name)},
		make: func(r *rng.Rand, s size) input {
			n := r.Between64(1, max(1, min(500, s.len*s.len)))
			return input{day(drawDay(r)).Format(dateForm), n * bit(s.len > 0)}
		},
		solve: func(in input) any {
			t := shifted(dayOf(in.text(0)), int(in.num(1)), id, 1-2*int(bit(back)))
			text := t.Format(style.form)
			if name {
				text = weekdays[weekday(t)][:3] + " " + text
			}
			return text
		},
	}
	if id > 1 {
		d.task = fill("Go from `start` $w in time, day by day, until you have reached `n` $u; `start` itself does not count. If `n` is 0, stay at `start`.", "$w", map[bool]string{false: "forwards", true: "backwards"}[back], "$u", unit.text)
		d.want = "the date at which you stop, " + style.text
	}
	if name {
		d.want += "; in front of it the day of the week (Mon, Tue, Wed, Thu, Fri, Sat or Sun) and a space"
	}
	return d
}

func shifted(t time.Time, n int, unit int64, sign int) time.Time {
	if unit < 2 {
		return t.AddDate(0, 0, sign*n*[]int{1, 7}[unit])
	}
	for n > 0 {
		t = t.AddDate(0, 0, sign)
		if (unit == 2 && weekday(t) < 5) || (unit == 3 && weekday(t) != 6) || (unit == 4 && t.Day() != 1) || (unit == 5 && t.Day()%2 == 1) {
			n--
		}
	}
	return t
}
