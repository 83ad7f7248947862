package office

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios/toolbox"
)

// A planner is an episode.
type planner struct {
	week
	now   map[string]meeting // by ID
	next  int                // index of the next new meeting
	said  bool               // that the wish is impossible
	blame int                // the condition that was named
}

// World implements [toolbox.Start].
func (w week) World() toolbox.World {
	p := &planner{week: w, now: map[string]meeting{}, next: len(w.Meetings)}
	for i, m := range w.Meetings {
		p.now[meetingID(i)] = m
	}
	return p
}

// Ended implements [toolbox.Ender].
func (p *planner) Ended() bool { return p.said }

// Tools implements [toolbox.World].
func (p *planner) Tools() scenario.Kit {
	who := scenario.Param{Name: "who", Type: scenario.Text(), Doc: "a person or a room"}
	day := scenario.Param{Name: "day", Type: scenario.OneOf(dayNames...)}
	start := scenario.Param{Name: "start", Type: scenario.Text(), Doc: "such as 09:30"}
	id := scenario.Param{Name: "meeting", Type: scenario.Text(), Doc: "its number, such as m7"}
	return scenario.Kit{
		toolbox.Tool("list", "List the meetings of a person or a room on a day.", []scenario.Param{who, day}, p.list),
		toolbox.Tool("free", "Tell when a person or a room is free on a day, within working hours.", []scenario.Param{who, day}, p.free),
		toolbox.Tool("book", "Book a meeting. It is not checked whether all are free.", []scenario.Param{
			{Name: "title", Type: scenario.Text()}, {Name: "people", Type: scenario.List(scenario.Text())}, day, start, {Name: "minutes", Type: scenario.Int()}, {Name: "room", Type: scenario.Text(), Optional: true},
		}, p.book),
		toolbox.Tool("move", "Move a meeting to another time. It is not checked whether all are free.", []scenario.Param{id, day, start}, p.move),
		toolbox.Tool("cancel", "Cancel a meeting.", []scenario.Param{id}, func(in struct{ Meeting string }) (string, error) {
			if _, has := p.now[in.Meeting]; !has {
				return "", absent("meeting", in.Meeting)
			}
			delete(p.now, in.Meeting)
			return "Cancelled.", nil
		}),
		toolbox.Tool("impossible", "Say that the conditions cannot all be met, and end the episode.", []scenario.Param{{Name: "condition", Type: scenario.Int(), Doc: "the number of a condition in the conflict"}},
			func(in struct{ Condition int }) (string, error) {
				p.said, p.blame = true, in.Condition
				return "", nil
			}),
	}
}

// zone returns the hours of a person or a room before UTC, its working hours, and how they are told.
func (p *planner) zone(who string) (zone int, from, to int, told string, err error) {
	if slices.Contains(p.Rooms, who) {
		return 0, 0, daySlots, "", nil
	}
	i := slices.Index(names(p.People), who)
	if i < 0 {
		return 0, 0, 0, "", scenario.Refusef("argument who: there is no person or room %.40q; there are: %s", who, strings.Join(append(names(p.People), p.Rooms...), ", "))
	}
	one := p.People[i]
	told = fmt.Sprintf("%s works from %s to %s", who, clock(one.From+2*one.Zone), clock(one.To+2*one.Zone))
	if p.zoned() {
		told += fmt.Sprintf(" (UTC%+d)", one.Zone)
	}
	return one.Zone, one.From, one.To, told + ".", nil
}

// list is the tool of that name.
func (p *planner) list(in struct{ Who, Day string }) (string, error) {
	zone, _, _, told, err := p.zone(in.Who)
	if err != nil {
		return "", err
	}
	var lines []string
	for id, m := range p.now {
		if dayNames[m.Day] != in.Day || m.Room != in.Who && !slices.Contains(m.People, in.Who) {
			continue
		}
		line := fmt.Sprintf("%s-%s %s %s, %s, with %s", local(m.Start, zone), local(m.Start+m.Length, zone), id, m.Title, map[bool]string{false: "fixed", true: "movable"}[m.Movable], strings.Join(m.People, ", "))
		if m.Room != "" {
			line += ", room " + m.Room
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	if len(lines) == 0 {
		lines = []string{"No meetings."}
	}
	if told != "" {
		lines = slices.Insert(lines, 0, told)
	}
	return shown(lines), nil
}

// local writes a time in a zone; one of another day is marked.
func local(slot, zone int) string {
	slot += 2 * zone
	switch {
	case slot < 0:
		return clock(slot+daySlots) + " of the day before"
	case slot > daySlots:
		return clock(slot-daySlots) + " of the next day"
	}
	return clock(slot)
}

// free is the tool of that name.
func (p *planner) free(in struct{ Who, Day string }) (string, error) {
	zone, from, to, told, err := p.zone(in.Who)
	if err != nil {
		return "", err
	}
	busy := ^span(from, to-from)
	for _, m := range p.now {
		if dayNames[m.Day] == in.Day && (m.Room == in.Who || slices.Contains(m.People, in.Who)) {
			busy |= span(m.Start, m.Length)
		}
	}
	var times []string
	for at := from; at < to; at++ {
		begun := at
		for at < to && busy>>at&1 == 0 {
			at++
		}
		if at > begun {
			times = append(times, local(begun, zone)+"-"+local(at, zone))
		}
	}
	if len(times) == 0 {
		times = []string{"never"}
	}
	return strings.TrimSpace(told + " Free: " + strings.Join(times, ", ") + "."), nil
}

// slotOf reads a time on the half hour.
func slotOf(text string) (int, bool) {
	for slot := range daySlots {
		if text == clock(slot) || text == strings.TrimPrefix(clock(slot), "0") {
			return slot, true
		}
	}
	return 0, false
}

// when reads the time of a call, for so many half hours.
func when(start string, length int) (int, error) {
	slot, ok := slotOf(start)
	if !ok || slot+length > daySlots {
		return 0, scenario.Refusef("argument start: is %.20q, want a time on the hour or half past, such as 09:30, so that the meeting ends on its day", start)
	}
	return slot, nil
}

// book is the tool of that name.
func (p *planner) book(in struct {
	Title   string
	People  []string
	Day     string
	Start   string
	Minutes int
	Room    string
},
) (string, error) {
	if in.Minutes < 30 || in.Minutes > 480 || in.Minutes%30 != 0 {
		return "", scenario.Refusef("argument minutes: is %d, want 30 to 480 in steps of 30", in.Minutes)
	}
	start, err := when(in.Start, in.Minutes/30)
	if err != nil {
		return "", err
	}
	m := meeting{Title: in.Title, People: in.People, Room: in.Room, Day: slices.Index(dayNames, in.Day), Start: start, Length: in.Minutes / 30}
	if err := p.checkMeeting(m); err != nil {
		return "", scenario.Refusef("arguments title, people and room: %v", err)
	}
	id := meetingID(p.next)
	p.next++
	p.now[id] = m
	return "Booked as " + id + ".", nil
}

// move is the tool of that name.
func (p *planner) move(in struct{ Meeting, Day, Start string }) (string, error) {
	m, has := p.now[in.Meeting]
	if !has {
		return "", absent("meeting", in.Meeting)
	}
	start, err := when(in.Start, m.Length)
	if err != nil {
		return "", err
	}
	m.Day, m.Start = slices.Index(dayNames, in.Day), start
	p.now[in.Meeting] = m
	return "Moved.", nil
}

// written is a meeting as an entry of the state.
func (m meeting) written() string {
	return fmt.Sprintf("%s %s %s of %s in %q, movable %v", dayNames[m.Day], clock(m.Start), strconv.Itoa(30*m.Length), m.Title+": "+strings.Join(m.People, ", "), m.Room, m.Movable)
}

// State implements [toolbox.World].
func (p *planner) State() toolbox.State {
	s := toolbox.State{}
	for id, m := range p.now {
		s[id] = m.written()
	}
	return s
}

// Untouched implements [toolbox.World].
func (p *planner) Untouched() toolbox.State {
	s := toolbox.State{}
	for i, m := range p.Meetings {
		s[meetingID(i)] = m.written()
	}
	return s
}

// Mine implements [toolbox.World]: the new meeting, and those that may be moved.
func (p *planner) Mine(id string) bool {
	i, err := strconv.Atoi(strings.TrimPrefix(id, "m"))
	return err == nil && !p.said && (i > len(p.Meetings) || i > 0 && p.Wish.Moves > 0 && p.Meetings[i-1].Movable)
}

// Judge implements [toolbox.World].
func (p *planner) Judge(string) (j toolbox.Judgement) {
	best, can := p.solve(p.Wish)
	switch {
	case p.said && can:
		j.Answer = "it is possible"
	case p.said && !p.blames(p.blame):
		j.Answer = fmt.Sprintf("condition %d is in no minimal conflict", p.blame)
	case p.said:
	case !can:
		j.State = "it is impossible"
	default:
		got, why := p.booked()
		switch {
		case why != "":
			j.State = why
		case len(got.moved) != len(best.moved) || got.day != best.day || got.start != best.start:
			j.Share = 0.5
			j.State = fmt.Sprintf("%d are moved for %s %s, and the best is %d for %s %s", len(got.moved), dayNames[got.day], clock(got.start), len(best.moved), dayNames[best.day], clock(best.start))
		}
	}
	return j
}

// booked returns what was done for the wish, or why it does not meet it.
func (p *planner) booked() (got plan, why string) {
	a := newAgenda(p.week)
	for i, before := range p.Meetings {
		m, has := p.now[meetingID(i)]
		if !has {
			return got, before.Title + " was cancelled"
		}
		if m.Day != before.Day {
			return got, before.Title + " was moved to another day"
		}
		if m.Start != before.Start {
			got.moved = append(got.moved, shift{i, m.Start})
		}
		if clash := a.clash(m); clash != "" {
			return got, clash
		}
		a.add(m)
	}
	if len(got.moved) > p.Wish.Moves {
		return got, fmt.Sprintf("%d meetings were moved, at most %d may be", len(got.moved), p.Wish.Moves)
	}
	var booked []meeting
	for i := len(p.Meetings); i < p.next; i++ {
		if m, has := p.now[meetingID(i)]; has {
			booked = append(booked, m)
		}
	}
	if len(booked) != 1 {
		return got, fmt.Sprintf("%d meetings were booked", len(booked))
	}
	got.day, got.start = booked[0].Day, booked[0].Start
	if why := p.Wish.unmet(booked[0]); why != "" {
		return got, why
	}
	return got, a.clash(booked[0])
}

// unmet says which part of a wish a meeting does not meet, but for the calendars; empty: none.
func (w wish) unmet(m meeting) string {
	here, wanted := slices.Sorted(slices.Values(m.People)), slices.Sorted(slices.Values(w.People))
	switch {
	case m.Title != w.Title || m.Length != w.Length:
		return fmt.Sprintf("%q of %d minutes was booked", m.Title, 30*m.Length)
	case !slices.Equal(here, wanted):
		return "it is with " + strings.Join(here, ", ")
	case !slices.Contains(w.Days, m.Day) || m.Start < w.From || m.Start+m.Length > w.To:
		return fmt.Sprintf("it is on %s at %s", dayNames[m.Day], clock(m.Start))
	case m.Room != w.Room:
		return fmt.Sprintf("its room is %q", m.Room)
	}
	return ""
}
