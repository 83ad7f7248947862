package instructions

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// A parameter is a parameter of a drawn tool: the unit or the format of its values is fixed.
type parameter struct {
	of     paramKind
	name   string
	unit   int // which unit or format of its sort
	schema schema
}

// A stated value is a value as a request says it, and as an argument has it.
type stated struct {
	said string
	arg  any
}

// A unit is a unit of a quantity: how many of the smallest parts it has.
type unit struct {
	name  string // in a description
	short string // after a number; of money before it
	parts int
}

// unitsOf returns the units that the arguments of a sort may be in.
func unitsOf(sort string) []unit {
	switch sort {
	case "duration":
		return []unit{{"in seconds", "seconds", 1}, {"in minutes", "minutes", 60}}
	case "money":
		return []unit{{"in cents", "cents", 1}, {"in dollars", "dollars", 100}}
	case "size":
		return []unit{{"in millimetres", "mm", 1}, {"in centimetres", "cm", 10}, {"in metres", "m", 1000}}
	case "distance":
		return []unit{{"in metres", "m", 1}, {"in kilometres", "km", 1000}}
	case "weight":
		return []unit{{"in grams", "g", 1}, {"in kilograms", "kg", 1000}}
	case "share":
		return []unit{{"in per cent", "per cent", 1}, {"as a fraction of 1, such as 0.25", "", 100}}
	}
	return nil
}

// draw fixes the name and the unit of a parameter, and its schema. Without convert, requests can
// say its values as its arguments have them.
func (k paramKind) draw(r *rng.Rand, convert bool) parameter {
	p := parameter{of: k, name: rng.Pick(r, k.names[:])}
	p.schema = schema{Type: "string", Description: k.doc}
	switch k.sort {
	case "duration", "money", "size", "distance", "weight", "share":
		units := unitsOf(k.sort)
		if convert || k.sort != "share" {
			p.unit = r.Between(0, len(units)-1)
		}
		p.schema.Type, p.schema.Description = "number", k.doc+" "+units[p.unit].name
	case "date":
		p.unit = r.Between(0, 2)
		p.schema.Description = k.doc + " in the form " + [...]string{"YYYY-MM-DD", "DD.MM.YYYY", "MM/DD/YYYY"}[p.unit]
	case "time":
		p.unit = task.Bit(convert && r.Chance(0.5))
		if p.schema.Description = k.doc + " in the form HH:MM, from 00:00 to 23:59"; p.unit == 1 {
			p.schema.Type, p.schema.Description = "integer", k.doc+" in minutes after midnight"
		}
	case "count":
		p.schema.Type = "integer"
	case "truth":
		p.schema.Type = "boolean"
	case "choice":
		for _, word := range k.choices {
			p.schema.Enum = append(p.schema.Enum, json.RawMessage(quoteJSON(word)))
		}
	case "people":
		p.schema.Type, p.schema.Items = "array", &schema{Type: "string"}
	case "address":
		p.schema.Type, p.schema.Closed = "object", true
		p.schema.Required = []string{"street", "number", "city"}
		p.schema.Properties = []property{{"street", schema{Type: "string"}}, {"number", schema{Type: "integer"}}, {"city", schema{Type: "string"}}}
	}
	if k.optional && (k.sort == "count" || k.sort == "truth" || k.sort == "choice") {
		p.schema.Default = json.RawMessage(valueJSON(p.value(r, false).arg))
	}
	return p
}

// value draws a value. With convert, the request may say it in another unit or form.
func (p parameter) value(r *rng.Rand, convert bool) stated {
	switch p.of.sort {
	case "duration", "money", "size", "distance", "weight", "share":
		return p.quantity(r, convert)
	case "date":
		return p.date(r, convert)
	case "time":
		return p.time(r, convert)
	case "count":
		n := r.Between(1, 12)
		if strings.Contains(p.of.doc, "Celsius") {
			n = 10 * r.Between(12, 25)
		}
		if convert && n < len(numberWords) && r.Chance(0.5) {
			return stated{numberWords[n], n}
		}
		return stated{strconv.Itoa(n), n}
	case "truth":
		yes := r.Chance(0.5)
		return stated{"", yes}
	case "choice":
		word := rng.Pick(r, p.of.choices)
		return stated{word, word}
	case "city":
		city := rng.Pick(r, cityNames)
		return stated{city, city}
	case "person":
		name := rng.Pick(r, firstNames)
		return stated{name, name}
	case "people":
		people := rng.Sample(r, firstNames, r.Between(2, 4))
		list := make([]any, len(people))
		for i, name := range people {
			list[i] = name
		}
		return stated{strings.Join(people[:len(people)-1], ", ") + " and " + people[len(people)-1], list}
	case "address":
		street, n, city := rng.Pick(r, streetNames), r.Between(1, 99), rng.Pick(r, cityNames)
		return stated{fmt.Sprintf("%d %s, %s", n, street, city), members{{"street", street}, {"number", n}, {"city", city}}}
	case "code":
		code := string([]byte{'A' + byte(r.Between(0, 25)), 'A' + byte(r.Between(0, 25))}) + strconv.Itoa(r.Between(1000, 9999))
		return stated{code, code}
	}
	text := rng.Pick(r, textWords) + " " + rng.Pick(r, textNouns)
	return stated{strconv.Quote(text), text}
}

// quantity draws a number with a unit.
func (p parameter) quantity(r *rng.Rand, convert bool) stated {
	units := unitsOf(p.of.sort)
	n := 0 // in the smallest parts
	switch p.of.sort {
	case "duration":
		n = 60 * 5 * r.Between(1, 40)
	case "money":
		n = 25 * r.Between(8, 1600)
	case "size":
		n = 10 * r.Between(10, 250)
	case "distance":
		n = 100 * r.Between(10, 300)
	case "weight":
		if n = 50 * r.Between(10, 1900); p.of.doc == bodyWeight {
			n = 100 * r.Between(400, 1200)
		}
	case "share":
		n = 5 * r.Between(1, 19)
	}
	arg := rawNumber(decimal(n, units[p.unit].parts))
	saying := p.unit
	if convert {
		saying = r.Between(0, len(units)-1)
	}
	switch {
	case p.of.sort == "share":
		return stated{strconv.Itoa(n) + " per cent", rawNumber(decimal(n, units[p.unit].parts))}
	case p.of.sort == "duration" && convert && n > 3600 && r.Chance(0.7):
		return stated{hours(n / 60), arg}
	case p.of.sort == "money" && saying == 1:
		return stated{fmt.Sprintf("$%d.%02d", n/100, n%100), arg}
	}
	return stated{decimal(n, units[saying].parts) + " " + units[saying].short, arg}
}

// rawNumber is a number as its text.
type rawNumber string

// decimal writes n/parts without superfluous zeros; parts is a power of ten or 60.
func decimal(n, parts int) string {
	if n%parts == 0 {
		return strconv.Itoa(n / parts)
	}
	digits := len(strconv.Itoa(parts)) - 1
	return strings.TrimRight(fmt.Sprintf("%d.%0*d", n/parts, digits, n%parts), "0")
}

// hours says a number of minutes above 60.
func hours(minutes int) string {
	h, rest := minutes/60, minutes%60
	switch {
	case rest == 30 && h == 1:
		return "an hour and a half"
	case rest == 30 && h < len(numberWords):
		return numberWords[h] + " and a half hours"
	case rest == 0:
		return strconv.Itoa(h) + " hours"
	case h == 1:
		return fmt.Sprintf("an hour and %d minutes", rest)
	}
	return fmt.Sprintf("%d hours and %d minutes", h, rest)
}

// date draws a day.
func (p parameter) date(r *rng.Rand, convert bool) stated {
	year, month, day := r.Between(2026, 2031), r.Between(1, 12), r.Between(1, 28)
	var arg string
	switch p.unit {
	case 0:
		arg = fmt.Sprintf("%d-%02d-%02d", year, month, day)
	case 1:
		arg = fmt.Sprintf("%02d.%02d.%d", day, month, year)
	default:
		arg = fmt.Sprintf("%02d/%02d/%d", month, day, year)
	}
	if !convert {
		return stated{arg, arg}
	}
	if r.Chance(0.5) {
		return stated{fmt.Sprintf("%d %s %d", day, monthNames[month-1], year), arg}
	}
	return stated{fmt.Sprintf("%s %d, %d", monthNames[month-1], day, year), arg}
}

// time draws a time of day, neither in the first hour of a half day nor at midnight.
func (p parameter) time(r *rng.Rand, convert bool) stated {
	hour, minute, evening := r.Between(1, 11), 5*r.Between(0, 11), r.Between(0, 1)
	full := hour + 12*evening
	var arg any = fmt.Sprintf("%02d:%02d", full, minute)
	if p.unit == 1 {
		arg = 60*full + minute
	}
	switch {
	case !convert:
		return stated{fmt.Sprintf("%02d:%02d", full, minute), arg}
	case minute == 30 && hour < len(numberWords) && r.Chance(0.7):
		return stated{"half past " + numberWords[hour] + partOfDay(full), arg}
	}
	return stated{fmt.Sprintf("%d:%02d %s", hour, minute, [...]string{"am", "pm"}[evening]), arg}
}

// partOfDay says in which part of the day an hour is.
func partOfDay(hour int) string {
	switch {
	case hour < 12:
		return " in the morning"
	case hour < 18:
		return " in the afternoon"
	}
	return " in the evening"
}
