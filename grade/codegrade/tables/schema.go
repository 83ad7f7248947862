package tables

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// A kind is what a column holds.
type kind int

const (
	number kind = iota
	word        // one of a few
	title       // a name; rows may share it
	date        // as 2024-06-30
	key         // the number of the row
	link        // the number of a row elsewhere
)

// A column is one of a table.
type column struct {
	name      string // in SQL
	label     string // in sentences
	kind      kind
	low, high int      // of numbers
	words     []string // or names
	null      bool     // values may be unknown
	to        int      // the table of a link
}

// A table has its key in the first column.
type table struct {
	name      string // in SQL
	one, many string // in sentences: a row, and some
	columns   []column
}

// persons are rows that are people.
var persons = strings.Fields("customer author reader teacher student driver")

// its is the possessive pronoun of a row, and that its relative pronoun.
func (t table) its() string {
	if slices.Contains(persons, t.one) {
		return "their "
	}
	return "its "
}

func (t table) that() string {
	if slices.Contains(persons, t.one) {
		return "who "
	}
	return "that "
}

// A schema is the tables of a database. A table links to earlier ones only.
type schema []table

// An outline is a schema before its names are drawn: "town|city" is either.
type outline struct {
	one, many, name string
	columns         []outlineColumn
}

// An outlineColumn is label, names and content: two numbers, words, "date", "name", or "> many" for
// a link. A question mark says that values may be unknown.
type outlineColumn struct{ label, name, holds string }

// outlines are the subjects. Any first tables of one make a schema.
var outlines = [][]outline{
	{
		{"customer", "customers", "customers|clients", []outlineColumn{
			{"name", "name|full_name", "name"}, {"city", "city|town", "Lyon Porto Ghent Turin Basel"}, {"number of points", "points|bonus_points", "? 0 60"}, {"joining date", "joined_on|member_since", "date"},
		}},
		{"order", "orders", "orders|purchases", []outlineColumn{
			{"customer", "customer_id|client_id", "> customers"}, {"status", "status|state", "open paid shipped returned"}, {"order date", "ordered_on|order_date", "date"},
			{"discount", "discount|rebate", "? 0 30"}, {"shipping fee", "shipping|delivery_fee", "2 40"},
		}},
		{"product", "products", "products|articles", []outlineColumn{
			{"name", "name|title", "title"}, {"category", "category|department", "garden kitchen office toys"}, {"price", "price|unit_price", "5 90"}, {"stock", "stock|in_stock", "? 0 40"},
		}},
		{"order line", "order lines", "order_lines|items", []outlineColumn{
			{"order", "order_id|purchase_id", "> orders"}, {"product", "product_id|article_id", "> products"}, {"quantity", "quantity|pieces", "1 12"}, {"packaging", "packaging|wrapping", "? box bag tube"},
		}},
	},
	{
		{"author", "authors", "authors|writers", []outlineColumn{
			{"name", "name|full_name", "name"}, {"country", "country|nation", "Chile Kenya Norway Japan"}, {"year of birth", "born|birth_year", "1900 1990"}, {"number of prizes", "prizes|awards", "? 0 9"},
		}},
		{"book", "books", "books|titles", []outlineColumn{
			{"author", "author_id|writer_id", "> authors"}, {"title", "title|name", "title"}, {"genre", "genre|subject", "novel poetry history travel"}, {"number of pages", "pages|page_count", "40 600"},
			{"date of purchase", "bought_on|acquired_on", "date"}, {"shelf", "shelf|bay", "? north south east"},
		}},
		{"reader", "readers", "readers|members", []outlineColumn{
			{"name", "name|full_name", "name"}, {"age", "age|years", "? 8 80"}, {"district", "district|quarter", "Harbour Mill Park Station"}, {"joining date", "joined_on|since", "date"},
		}},
		{"loan", "loans", "loans|lendings", []outlineColumn{
			{"book", "book_id|title_id", "> books"}, {"reader", "reader_id|member_id", "> readers"}, {"lending date", "lent_on|loan_date", "date"}, {"number of days", "days|duration_days", "1 40"}, {"fine", "fine|late_fee", "? 0 25"},
		}},
	},
	{
		{"teacher", "teachers", "teachers|lecturers", []outlineColumn{
			{"name", "name|full_name", "name"}, {"faculty", "faculty|school", "arts law science sport"}, {"number of publications", "publications|papers", "? 0 40"}, {"hiring date", "hired_on|employed_since", "date"},
		}},
		{"course", "courses", "courses|classes", []outlineColumn{
			{"teacher", "teacher_id|lecturer_id", "> teachers"}, {"title", "title|name", "title"}, {"term", "term|season", "spring summer autumn"}, {"number of credits", "credits|points", "1 12"}, {"number of seats", "seats|capacity", "? 10 60"},
		}},
		{"student", "students", "students|pupils", []outlineColumn{
			{"name", "name|full_name", "name"}, {"home town", "town|home_town", "Bergen Cork Graz Nice"}, {"year of study", "year|study_year", "1 5"}, {"date of birth", "born_on|birth_date", "date"}, {"scholarship", "scholarship|grant_amount", "? 100 400"},
		}},
		{"enrolment", "enrolments", "enrolments|registrations", []outlineColumn{
			{"course", "course_id|class_id", "> courses"}, {"student", "student_id|pupil_id", "> students"}, {"enrolment date", "enrolled_on|registered_on", "date"}, {"grade", "grade|mark", "? 1 20"}, {"mode", "mode|attendance", "campus online mixed"},
		}},
	},
	{
		{"driver", "drivers", "drivers|couriers", []outlineColumn{
			{"name", "name|full_name", "name"}, {"depot", "depot|base", "Alder Birch Cedar Maple"}, {"hiring date", "hired_on|start_date", "date"}, {"number of penalty points", "points|penalty_points", "? 0 12"},
		}},
		{"trip", "trips", "trips|tours", []outlineColumn{
			{"driver", "driver_id|courier_id", "> drivers"}, {"vehicle", "vehicle|vehicle_type", "van truck bicycle"}, {"date", "date|day", "date"}, {"distance", "distance|kilometres", "3 120"}, {"toll", "toll|road_toll", "? 0 30"},
		}},
		{"stop", "stops", "stops|deliveries", []outlineColumn{
			{"trip", "trip_id|tour_id", "> trips"}, {"area", "area|zone", "centre harbour hills airport"}, {"number of parcels", "parcels|parcel_count", "1 15"}, {"waiting time", "minutes|waiting_minutes", "? 0 45"},
		}},
		{"complaint", "complaints", "complaints|claims", []outlineColumn{
			{"stop", "stop_id|delivery_id", "> stops"}, {"reason", "reason|cause", "late damaged lost rude"}, {"filing date", "filed_on|reported_on", "date"}, {"refund", "refund|compensation", "? 0 50"},
		}},
	},
}

var (
	people = strings.Fields("Ada Ben Cleo Dan Eva Finn Gina Hugo Ida Jan Kira Leo")
	things = []string{"Blue Hour", "First Steps", "Green Line", "Old Harbour", "Open Door", "Quiet Days", "Red Kite", "Silver Thread"}
)

// newSchema draws the names of the first tables of a subject. Without nulls, all values are known.
func newSchema(subject, tables int, nulls bool, r *rng.Rand) schema {
	var s schema
	all := outlines[subject]
	for _, o := range all[:tables] {
		t := table{name: rng.Pick(r, strings.Split(o.name, "|")), one: o.one, many: o.many, columns: []column{{name: "id", label: "id", kind: key}}}
		for _, c := range o.columns {
			t.columns = append(t.columns, newColumn(c, all, nulls, rng.Pick(r, strings.Split(c.name, "|"))))
		}
		s = append(s, t)
	}
	return s
}

// newColumn makes a column of an outline.
func newColumn(c outlineColumn, all []outline, nulls bool, name string) column {
	holds, null := strings.CutPrefix(c.holds, "? ")
	made := column{name: name, label: c.label, null: null && nulls}
	switch to, linked := strings.CutPrefix(holds, "> "); {
	case linked:
		made.kind, made.to = link, slices.IndexFunc(all, func(o outline) bool { return o.many == to })
	case holds == "date":
		made.kind = date
	case holds == "name":
		made.kind, made.words = title, people
	case holds == "title":
		made.kind, made.words = title, things
	case holds[0] <= '9':
		_, _ = fmt.Sscan(holds, &made.low, &made.high) // it is one of our own texts
	default:
		made.kind, made.words = word, strings.Fields(holds)
	}
	return made
}

// create is the statement that makes a table.
func (s schema) create(t table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (\n", t.name)
	for i, c := range t.columns {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "  %s %s", c.name, [...]string{number: "INTEGER", word: "TEXT", title: "TEXT", date: "TEXT", key: "INTEGER PRIMARY KEY", link: "INTEGER"}[c.kind])
		if !c.null && c.kind != key {
			b.WriteString(" NOT NULL")
		}
		if c.kind == link {
			fmt.Fprintf(&b, " REFERENCES %s (id)", s[c.to].name)
		}
	}
	b.WriteString("\n)")
	return b.String()
}
