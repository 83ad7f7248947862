package office

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// calendar has the meetings of a few people in a week, and a meeting that is wished for.
var calendar = toolbox.Spec[weekParams, week]{
	Name: "calendar",
	Doc: "Book a meeting in the calendars of several people under conditions, as early as possible and with as few moves of other meetings as possible, or tell which condition makes it impossible. " +
		"A booking that is allowed but not the best earns half.",
	Source:  "Our own.",
	Version: 1,
	Levels: []weekParams{
		{People: 1, Days: 1, Busy: 50},
		{People: 2, Days: 2, Busy: 45},
		{People: 3, Days: 2, Rooms: 1, Busy: 50, Moves: 1},
		{People: 4, Days: 2, Rooms: 2, Busy: 55, Moves: 2},
		{People: 6, Days: 3, Rooms: 2, Busy: 60, Moves: 2, Zones: true},
	},
	Make:  makeWeek,
	Guess: []float64{0.15, 0.15, 0.15, 0.15, 0.15},
}

// weekParams are the parameters of a level.
type weekParams struct {
	People int  `json:"people" want:"1 to 6"`
	Days   int  `json:"days" want:"1 to 5"` // most on which the meeting may be
	Rooms  int  `json:"rooms" want:"0 to 3"`
	Busy   int  `json:"busy" want:"20 to 80"` // percent of the working hours that have a meeting, about
	Moves  int  `json:"moves" want:"0 to 2"`  // most meetings that may be moved
	Zones  bool `json:"zones"`                // people live in several time zones
}

// A week is the calendars of a week, with a wish. Times are in half hours of UTC from midnight.
type week struct {
	People   []worker  `json:"people"`
	Rooms    []string  `json:"rooms"`
	Meetings []meeting `json:"meetings"`
	Wish     wish      `json:"wish"`
}

// A worker has a calendar.
type worker struct {
	Name string `json:"name"`
	Zone int    `json:"zone"` // hours before UTC
	From int    `json:"from"` // the working hours, in half hours of UTC
	To   int    `json:"to"`
}

// A meeting is in the calendars of some people, and perhaps of a room.
type meeting struct {
	Title   string   `json:"title"`
	People  []string `json:"people"`
	Room    string   `json:"room"` // empty: it has none
	Day     int      `json:"day"`
	Start   int      `json:"start"`
	Length  int      `json:"length"`
	Movable bool     `json:"movable"`
}

// A wish is for a meeting. All but the title, the length and the moves are conditions.
type wish struct {
	Title  string   `json:"title"`
	Length int      `json:"length"`
	People []string `json:"people"`
	Days   []int    `json:"days"`
	From   int      `json:"from"` // the earliest start; 0: any
	To     int      `json:"to"`   // the latest end; 48: any
	Room   string   `json:"room"` // empty: none is needed
	Moves  int      `json:"moves"`
}

// Limits of a week.
const (
	weekDays    = 5
	daySlots    = 48
	maxMeetings = 120
)

// dayNames are those of the tools.
var dayNames = []string{"mon", "tue", "wed", "thu", "fri"}

// Check refuses a record that is no week with a wish.
func (w week) Check() error {
	if len(w.People) == 0 || len(w.People) > 8 || len(w.Rooms) > 4 || len(w.Meetings) > maxMeetings {
		return fmt.Errorf("it has %d people, %d rooms and %d meetings", len(w.People), len(w.Rooms), len(w.Meetings))
	}
	seen := map[string]bool{}
	for _, one := range w.People {
		if one.Zone < -4 || one.Zone > 4 || one.From < 0 || one.From >= one.To || one.To > daySlots || one.From+2*one.Zone < 0 || one.To+2*one.Zone > daySlots {
			return fmt.Errorf("people: %.20q works from %d to %d in zone %d", one.Name, one.From, one.To, one.Zone)
		}
	}
	for _, name := range append(names(w.People), w.Rooms...) {
		if seen[name] || name == "" || len(name) > 20 || strings.ContainsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }) {
			return fmt.Errorf("the name %.30q comes twice, or has other signs than a to z", name)
		}
		seen[name] = true
	}
	a := newAgenda(w)
	for i, m := range w.Meetings {
		if err := w.checkMeeting(m); err != nil {
			return fmt.Errorf("meetings[%d]: %w", i, err)
		}
		if clash := a.clash(m); clash != "" {
			return fmt.Errorf("meetings[%d]: %s", i, clash)
		}
		a.add(m)
	}
	return w.checkWish()
}

// names returns the names of people.
func names(people []worker) (all []string) {
	for _, one := range people {
		all = append(all, one.Name)
	}
	return all
}

// checkMeeting checks a meeting by itself.
func (w week) checkMeeting(m meeting) error {
	switch {
	case m.Title == "" || len(m.Title) > 30 || strings.ContainsFunc(m.Title, func(r rune) bool { return r < ' ' }):
		return fmt.Errorf("the title is %.40q", m.Title)
	case m.Day < 0 || m.Day >= weekDays || m.Start < 0 || m.Length < 1 || m.Length > 16 || m.Start > daySlots-m.Length:
		return fmt.Errorf("it is on day %d from %d, for %d", m.Day, m.Start, m.Length)
	case m.Room != "" && !slices.Contains(w.Rooms, m.Room):
		return fmt.Errorf("there is no room %.20q", m.Room)
	case len(m.People) == 0 || len(m.People) > len(w.People):
		return fmt.Errorf("it has %d people", len(m.People))
	}
	for i, name := range m.People {
		if !slices.Contains(names(w.People), name) || slices.Contains(m.People[:i], name) {
			return fmt.Errorf("the person %.20q is unknown, or comes twice", name)
		}
	}
	return nil
}

// checkWish checks the wish.
func (w week) checkWish() error {
	like := meeting{Title: w.Wish.Title, People: w.Wish.People, Room: w.Wish.Room, Length: w.Wish.Length}
	if err := w.checkMeeting(like); err != nil {
		return fmt.Errorf("wish: %w", err)
	}
	for i, day := range w.Wish.Days {
		if day < 0 || day >= weekDays || i > 0 && day <= w.Wish.Days[i-1] {
			return fmt.Errorf("wish: the days are %v", w.Wish.Days)
		}
	}
	switch {
	case len(w.Wish.Days) == 0:
		return errors.New("wish: there are no days")
	case w.Wish.From < 0 || w.Wish.To > daySlots || w.Wish.From+w.Wish.Length > w.Wish.To:
		return fmt.Errorf("wish: it is from %d to %d", w.Wish.From, w.Wish.To)
	case w.Wish.Moves < 0 || w.Wish.Moves > 2:
		return fmt.Errorf("wish: it has %d moves", w.Wish.Moves)
	case slices.ContainsFunc(w.Meetings, func(m meeting) bool { return m.Title == w.Wish.Title }):
		return fmt.Errorf("wish: there is a meeting %s already", w.Wish.Title)
	}
	return nil
}

// zoned reports whether people live in several time zones.
func (w week) zoned() bool {
	return slices.ContainsFunc(w.People, func(p worker) bool { return p.Zone != 0 })
}

// clock writes a time of the day.
func clock(slot int) string { return fmt.Sprintf("%02d:%02d", slot/2, slot%2*30) }

// A condition of a wish can be dropped.
type condition struct {
	text string
	drop func(*wish)
}

// conditions returns those of the wish, in the order of their numbers.
func (w wish) conditions() (all []condition) {
	for _, name := range w.People {
		all = append(all, condition{name + " takes part.", func(of *wish) {
			of.People = slices.DeleteFunc(slices.Clone(of.People), func(other string) bool { return other == name })
		}})
	}
	if len(w.Days) < weekDays {
		var days []string
		for _, day := range w.Days {
			days = append(days, []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday"}[day])
		}
		all = append(all, condition{"It is on " + strings.Join(days, " or ") + ".", func(of *wish) { of.Days = []int{0, 1, 2, 3, 4} }})
	}
	if w.From > 0 {
		all = append(all, condition{"It does not start before " + clock(w.From) + ".", func(of *wish) { of.From = 0 }})
	}
	if w.To < daySlots {
		all = append(all, condition{"It ends at " + clock(w.To) + " or before.", func(of *wish) { of.To = daySlots }})
	}
	if w.Room != "" {
		all = append(all, condition{"It has the room " + w.Room + ".", func(of *wish) { of.Room = "" }})
	}
	return all
}

// Goal implements [toolbox.Start].
func (w week) Goal(wording int) string {
	var b strings.Builder
	who := strings.Join(names(w.People), ", ")
	switch len(w.Rooms) {
	case 0:
	case 1:
		who += " and the room " + w.Rooms[0]
	default:
		who += " and the rooms " + strings.Join(w.Rooms, ", ")
	}
	fmt.Fprintf(&b, []string{
		"You keep the calendars of %s from Monday to Friday. Book a meeting called `%s` of %d minutes. It must meet these conditions:\n",
		"There are calendars for a week, Monday to Friday, of %s. A meeting with the title `%s` and a length of %d minutes is to be booked under these conditions:\n",
		"The tools show the calendars of %s. Find a time from Monday to Friday for a meeting `%s` of %d minutes, and book it. These are the conditions:\n",
	}[wording], who, w.Wish.Title, 30*w.Wish.Length)
	for i, c := range w.Wish.conditions() {
		fmt.Fprintf(&b, "\n%d. %s", i+1, c.text)
	}
	b.WriteString("\n\n" + []string{
		"It starts on the hour or half past, only those named take part, and it lies within the working hours of each of them. Nobody may have two meetings at once, and the same holds for a room.",
		"It begins at a full or half hour and within the working hours of all who take part, who are exactly those named; it also ends within them. No person and no room can be in two meetings at the same time.",
		"A meeting begins on the hour or half an hour later. Those who take part, no more and no fewer, must be at work from its beginning to its end, and no person, nor a room, may have another meeting then.",
	}[wording])
	if w.zoned() {
		b.WriteString(" " + []string{
			"Times are in UTC here and in all that you call; only the results for a person are in that person's time zone, which they name.",
			"People live in different time zones, in which the results about them are given. All other times, here and in your calls, are UTC.",
			"Mind the time zones: what the tools say of a person is in the time of that person. The conditions and your calls are in UTC.",
		}[wording])
	}
	b.WriteString(w.moving(wording))
	b.WriteString("\n\n" + []string{
		"If there is no way to meet all conditions, change nothing and call impossible with the number of a condition that takes part in the conflict: one of several that cannot hold together, but could without any one of them.",
		"Should the conditions contradict the calendars, call impossible instead, without any change. Give the number of a condition from the conflict, that is, from conditions that cannot all hold, though they could if any one of these were dropped.",
		"It may be impossible. Then leave all as it is, and call impossible with the number of one condition of a conflict: of a group that cannot be met together, while each smaller part of the group can.",
	}[wording])
	return b.String()
}

// moving says which meetings may be moved, and what is best.
func (w week) moving(wording int) string {
	half := []string{
		" A booking that keeps all rules earns half if a better one exists.", " If all rules are kept but there is a better booking, you earn half.", " You get half of the reward for a booking that keeps the rules and is not the best.",
	}[wording]
	if w.Wish.Moves == 0 {
		return "\n\n" + []string{
			"Take the earliest time that is possible, and change no other meeting.", "The meeting shall start as early as it can. All other meetings stay as they are.", "Choose the first possible time. Other meetings must not be changed.",
		}[wording] + half
	}
	most := map[int]string{1: "one meeting", 2: "two meetings"}[w.Wish.Moves]
	return "\n\n" + fmt.Sprintf([]string{
		"You may move up to %s marked movable to another time of the same day, under the same rules; all other meetings stay. Move as few as possible; if there is a choice then, the new meeting shall start as early as possible.",
		"Meetings that are movable may go to another time on their day, but no more than %s, and by the same rules. Nothing else may change. The best booking has the fewest moves, and among those the earliest start.",
		"To make room, up to %s may be moved, if they are movable; they stay on their day and keep the rules. Fewer moves are better, and with the same number of moves an earlier start of the new meeting is better.",
	}[wording], most) + half
}

// Answer implements [toolbox.Start].
func (w week) Answer() scenario.Param { return scenario.Param{} }

// Canonical implements [toolbox.Start].
func (w week) Canonical() string { return fmt.Sprint(w) }

// Plan implements [toolbox.Start]: all calendars of the days are read before anything is done.
func (w week) Plan() (plan []quintain.ToolCall) {
	for _, day := range w.Wish.Days {
		for _, who := range append(names(w.People), w.Rooms...) {
			plan = append(plan, toolbox.Call("list", map[string]string{"who": who, "day": dayNames[day]}))
		}
	}
	best, can := w.solve(w.Wish)
	if !can {
		return append(plan, toolbox.Call("impossible", map[string]int{"condition": w.blame()}))
	}
	for _, m := range best.moved {
		plan = append(plan, toolbox.Call("move", map[string]string{"meeting": meetingID(m.index), "day": dayNames[best.day], "start": clock(m.start)}))
	}
	book := map[string]any{"title": w.Wish.Title, "people": w.Wish.People, "day": dayNames[best.day], "start": clock(best.start), "minutes": 30 * w.Wish.Length}
	if w.Wish.Room != "" {
		book["room"] = w.Wish.Room
	}
	return append(plan, toolbox.Call("book", book), toolbox.Call("finish", struct{}{}))
}

// Calls implements [toolbox.Budgeted]: all calendars are read, as many meetings moved as may be, and one is
// booked, so that the limit does not tell what is possible.
func (w week) Calls() int {
	return len(w.Wish.Days)*(len(w.People)+len(w.Rooms)) + w.Wish.Moves + 2
}

// meetingID names a meeting by its index.
func meetingID(i int) string { return fmt.Sprintf("m%d", i+1) }

// makeWeek draws a week with a wish.
func makeWeek(p weekParams, r *rng.Rand) (week, error) {
	const weeks, wishes, impossibles = 200, 40, 0.15
	impossible, moves := r.Chance(impossibles), r.Between(0, p.Moves)
	for range weeks {
		w := drawWeek(p, r)
		for range wishes {
			w.drawWish(p, r)
			if best, can := w.solve(w.Wish); can != impossible && (impossible || len(best.moved) == moves) {
				return w, task.Check(w)
			}
		}
	}
	return week{}, errors.New("no week of these parameters fits")
}
