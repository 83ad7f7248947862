package tables

import (
	"fmt"
	"strings"
	"time"
)

// phrase names a value of a row after "its" or "the": "price", "customer's city".
func (s schema) phrase(from int, v value) string {
	var b strings.Builder
	for _, l := range v.Up {
		c := s[from].columns[l]
		b.WriteString(c.label + "'s ")
		from = c.to
	}
	return b.String() + s[from].columns[v.Col].label
}

// shownAs names a value that is shown of a row.
func (s schema) shownAs(from int, v value) string {
	if d := v.Down; d != nil {
		text := "the number of " + s[from].its() + s[d.Table].many + s.clauses(d.Table, d.Where, false, true)
		return text + " (0 if there are none)"
	}
	return s[from].its() + s.phrase(from, v)
}

// clauses are conditions after a noun: " whose status is 'open' and that have no orders".
func (s schema) clauses(from int, conds []cond, one, plural bool) string {
	var b strings.Builder
	for i, c := range conds {
		switch {
		case i == 0:
			b.WriteString(" ")
		case one:
			b.WriteString(" or ")
		default:
			b.WriteString(" and ")
		}
		if d := c.Of.Down; d != nil {
			b.WriteString(s[from].that() + map[bool]string{true: "have ", false: "has "}[plural] + s.some(c))
		} else {
			b.WriteString("whose " + s.phrase(from, c.Of) + " " + c.says(c.Of.of(s, from)))
		}
	}
	if one && len(conds) > 1 {
		b.WriteString(" (or both)")
	}
	return b.String()
}

// some tells how many rows link to one: "at least 2 orders whose status is 'open'".
func (s schema) some(c cond) string {
	d := c.Of.Down
	noun := s[d.Table].many
	if c.Num == 1 {
		noun = s[d.Table].one
	}
	text := map[string]string{"=": "exactly", "<>": "not exactly", "<": "fewer than", "<=": "at most", ">": "more than", ">=": "at least"}[c.Op]
	if c.Op == "=" && c.Num == 0 {
		return "no " + s[d.Table].one + s.clauses(d.Table, d.Where, false, false)
	}
	return fmt.Sprintf("%s %d %s%s", text, c.Num, noun, s.clauses(d.Table, d.Where, false, c.Num != 1))
}

// says tells a condition after the name of the value.
func (c cond) says(col column) string {
	text := fmt.Sprint(c.Num)
	words := map[string]string{"=": "is", "<>": "is not", "<": "is less than", "<=": "is at most", ">": "is greater than", ">=": "is at least"}
	switch {
	case c.Op == "null":
		return "is unknown"
	case c.Op == "not null":
		return "is known"
	case c.Op == "year":
		return "lies in the year " + text
	case c.Op == "month":
		return "lies in " + time.Month(c.Num).String() + " of any year"
	case col.kind == date:
		text = c.Text
		words["<"], words["<="], words[">"], words[">="] = "is before", "is on or before", "is after", "is on or after"
	case col.kind == word || col.kind == title:
		text = "'" + c.Text + "'"
	}
	if c.Op == "<>" && col.null {
		return "is known and is not " + text
	}
	return words[c.Op] + " " + text
}

// words asks the question.
func (q *query) words(s schema, wording int) string {
	var text string
	switch {
	case q.Fold == nil:
		text = q.wordsOfRows(s, wording)
	case len(q.Show) == 0:
		text = q.wordsOfOne(s, wording)
	default:
		text = q.wordsOfGroups(s, wording)
	}
	if q.Sort != nil {
		text += q.wordsOfOrder(s, wording)
	}
	return text
}

// wordsOfRows asks for a row for each row.
func (q *query) wordsOfRows(s schema, wording int) string {
	t := s[q.From]
	var shown []string
	for _, v := range q.Show {
		shown = append(shown, s.shownAs(q.From, v))
	}
	text := fmt.Sprintf([]string{
		"For each %[1]s%[2]s, give %[5]s.",
		"Find the %[3]s%[4]s. The result has a row for each of them, with %[5]s.",
		"Make a list of all %[3]s%[4]s: each has a row that shows %[5]s.",
	}[wording], t.one, s.clauses(q.From, q.Where, q.Any, false), t.many, s.clauses(q.From, q.Where, q.Any, true), list(shown))
	if q.Distinct {
		text += []string{" Of rows that are equal, keep only one.", " Equal rows appear once.", " No row may appear twice: keep one of those that are equal."}[wording]
	}
	return text
}

// list joins parts by commas and a last "and".
func list(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	if len(parts) == 2 {
		return parts[0] + " and " + parts[1]
	}
	return strings.Join(parts[:last], ", ") + ", and " + parts[last]
}

// what names the value of a fold of rows that are called so.
func (q *query) what(s schema, rows string) string {
	f := q.Fold
	p := s.phrase(q.From, f.Of)
	dated := f.Of.of(s, q.From).kind == date
	switch {
	case f.all():
		return "the number of " + rows
	case f.Do == "count":
		return "the number of known values of the " + p + " of " + rows
	case f.Do == "different":
		return "the number of different values of the " + p + " of " + rows
	case dated:
		return "the " + map[string]string{"min": "earliest ", "max": "latest "}[f.Do] + p + " of " + rows
	}
	return "the " + map[string]string{"sum": "sum of the ", "avg": "average of the ", "min": "lowest ", "max": "highest "}[f.Do] + p + " of " + rows
}

// unknowns tells what becomes of unknown values.
func (q *query) unknowns(s schema) string {
	if f := q.Fold; !f.all() && f.Do != "count" && f.Of.of(s, q.From).null {
		return " Unknown values do not count."
	}
	return ""
}

// wordsOfOne asks for one value.
func (q *query) wordsOfOne(s schema, wording int) string {
	rows := s[q.From].many + s.clauses(q.From, q.Where, q.Any, true)
	if q.Fold.all() {
		return fmt.Sprintf([]string{"How many %s are there?", "Count the %s.", "Give the number of %s."}[wording], rows)
	}
	if len(q.Where) == 0 {
		rows = "all " + rows
	} else {
		rows = "the " + rows
	}
	return fmt.Sprintf([]string{"What is %s?", "Find %s.", "Give %s."}[wording], q.what(s, rows)) + q.unknowns(s)
}

// wordsOfGroups asks for a row for each group.
func (q *query) wordsOfGroups(s schema, wording int) string {
	t := s[q.From]
	var by []string
	null := ""
	for _, v := range q.Show {
		by = append(by, "the "+s.phrase(q.From, v))
		if v.of(s, q.From).null {
			null = s.phrase(q.From, v)
		}
	}
	text := fmt.Sprintf([]string{
		"Take the %[1]s%[2]s. Group them by %[3]s. For each group, give %[3]s and %[4]s.",
		"This is about the %[1]s%[2]s. Those that agree in %[3]s form a group. Each group has a row with %[3]s, followed by %[4]s.",
		"Look at the %[1]s%[2]s, and nothing else. Split them by %[3]s. The result has a row for each part: first %[3]s, then %[4]s.",
	}[wording], t.many, s.clauses(q.From, q.Where, q.Any, true), list(by), q.what(s, "its "+t.many)) + q.unknowns(s)
	switch {
	case null == "":
	case q.Known:
		text += fmt.Sprintf([]string{" Leave out the %[1]s whose %[2]s is unknown.", " The %[1]s whose %[2]s is unknown belong to no group.", " Ignore %[1]s whose %[2]s is unknown."}[wording], t.many, null)
	default:
		text += fmt.Sprintf([]string{" The %[1]s whose %[2]s is unknown are a group too.", " An unknown %[2]s makes a group of its own.", " Those whose %[2]s is unknown are one part."}[wording], t.many, null)
	}
	if f := q.Fold; f.Op != "" {
		c := cond{Op: f.Op, Num: f.Than}
		text += fmt.Sprintf([]string{" Keep only the groups for which that last value %s.", " Leave out all groups but those for which the last value %s.", " Only parts for which the last value %s belong to the result."}[wording], c.says(column{}))
	}
	return text
}

// wordsOfOrder tells how the result is sorted.
func (q *query) wordsOfOrder(s schema, wording int) string {
	low, high := "lowest", "highest"
	if q.Fold == nil && q.Show[len(q.Show)-1].of(s, q.From).kind == date {
		low, high = "earliest", "latest"
	}
	if q.Sort.Down {
		low, high = high, low
	}
	text := fmt.Sprintf([]string{" Sort the rows by the last column, from the %s to the %s.", " The rows are in the order of their last value, from the %s to the %s.", " Order the result by its last column, beginning with the %s and ending with the %s."}[wording], low, high)
	switch n := q.Sort.Top; n {
	case 0:
	case 1:
		text += " Give only the first row in this order."
	default:
		text += fmt.Sprintf(" Give only the first %d rows in this order.", n)
	}
	return text
}
