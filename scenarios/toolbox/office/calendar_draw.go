package office

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// Names of drawn weeks.
var (
	roomNames = strings.Fields("oak elm ash pine birch")
	titles    = strings.Fields("budget hiring roadmap retro standup design sales support legal press onboarding training forecast pricing audit " +
		"security backlog demo interview launch survey vendors travel newsletter metrics research quality safety facilities partners")
	wishes = strings.Fields("review kickoff workshop planning briefing")
)

// drawWeek draws a week without a wish.
func drawWeek(p weekParams, r *rng.Rand) (w week) {
	for _, name := range rng.Sample(r, keyNames, p.People) {
		one := worker{Name: name, From: 2 * r.Between(8, 9)}
		one.To = one.From + 2*r.Between(7, 8)
		if p.Zones {
			one.Zone = r.Between(-2, 2)
			one.From, one.To = one.From-2*one.Zone, one.To-2*one.Zone
		}
		w.People = append(w.People, one)
	}
	w.Rooms = rng.Sample(r, roomNames, p.Rooms)
	w.drawMeetings(p, r)
	return w
}

// drawWish draws a wish.
func (w *week) drawWish(p weekParams, r *rng.Rand) {
	most := max(len(w.People)-1, 1)
	w.Wish = wish{Title: rng.Pick(r, wishes), Length: r.Between(1, 4), To: daySlots, Moves: p.Moves}
	w.Wish.People = rng.Sample(r, names(w.People), r.Between(max(most-1, 1), most))
	if len(w.People) == 2 {
		w.Wish.People = names(w.People)
	}
	for _, day := range rng.Different(r, r.Between(1, p.Days), 0, weekDays-1) {
		w.Wish.Days = append(w.Wish.Days, int(day))
	}
	slices.Sort(w.Wish.Days)
	switch r.Between(0, 3) {
	case 0, 1:
		w.Wish.From = 2 * r.Between(9, 12)
	case 2:
		w.Wish.To = 2 * r.Between(12, 15)
	}
	if len(w.Rooms) > 0 && r.Chance(0.8) {
		w.Wish.Room = rng.Pick(r, w.Rooms)
	}
}

// drawMeetings fills the days, until the people are as busy as the level wants.
func (w *week) drawMeetings(p weekParams, r *rng.Rand) {
	a := newAgenda(*w)
	for day := range weekDays {
		words := rng.Sample(r, titles, len(titles))
		slots := 0
		for _, one := range w.People {
			slots += one.To - one.From
		}
		for tries := 0; tries < 400 && len(words) > 0 && len(w.Meetings) < maxMeetings && w.filled(day)*100 < p.Busy*slots; tries++ {
			m := meeting{Title: words[0], Day: day, Start: r.Between(8, 38), Length: r.Between(1, 3), Movable: p.Moves > 0 && r.Chance(0.5)}
			m.People = rng.Sample(r, names(w.People), r.Between(1, min(3, len(w.People))))
			if len(w.Rooms) > 0 && r.Chance(0.4) {
				m.Room = rng.Pick(r, w.Rooms)
			}
			if a.clash(m) == "" {
				a.add(m)
				w.Meetings = append(w.Meetings, m)
				words = words[1:]
			}
		}
	}
}

// filled counts the half hours of people that have a meeting on a day.
func (w *week) filled(day int) (n int) {
	for _, m := range w.Meetings {
		if m.Day == day {
			n += m.Length * len(m.People)
		}
	}
	return n
}
