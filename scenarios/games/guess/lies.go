package guess

import "sync"

// mostLies bounds the lies among the answers.
const mostLies = 2

// doubts count the numbers that are still possible, by the answers that would then be lies. (They
// are the states of Berlekamp's and Ulam's game.)
type doubts [mostLies + 1]uint8

// sum is the number of numbers that are possible.
func (d doubts) sum() (n int) {
	for _, count := range d {
		n += int(count)
	}
	return n
}

// answered returns the doubts after a yes and after a no to the question whether the number is one
// of a set, which has so many numbers of each kind.
func (d doubts) answered(lies int, in doubts) (yes, no doubts) {
	for i := 0; i <= lies; i++ {
		out := d[i] - in[i]
		yes[i] += in[i]
		no[i] += out
		if i < lies {
			yes[i+1] += out
			no[i+1] += in[i]
		}
	}
	return yes, no
}

// questioning knows how many questions find a number, whatever the answers, if a certain number of
// them may be lies. Many goroutines may use it.
type questioning struct {
	lies  int
	mu    sync.Mutex
	known map[doubts][2]int8 // bounds of the number of questions
}

func newQuestioning(lies int) *questioning {
	return &questioning{lies: lies, known: map[doubts][2]int8{}}
}

// maxQuestions is more than any game takes.
const maxQuestions = 30

// need returns the number of questions that are enough in the worst case.
func (q *questioning) need(d doubts) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for n := range maxQuestions {
		if q.enough(d, n) {
			return n
		}
	}
	return maxQuestions
}

// ask returns a question of the best play, as the numbers of each kind that are in its set.
func (q *questioning) ask(d doubts) (in doubts) {
	n := q.need(d)
	q.mu.Lock()
	defer q.mu.Unlock()
	in, _ = q.find(d, n)
	return in
}

// enough reports whether n questions are enough.
func (q *questioning) enough(d doubts, n int) bool {
	bounds, has := q.known[d]
	switch {
	case d.sum() <= 1:
		return true
	case n == 0 || q.weight(d, n) > 1<<n || has && n < int(bounds[0]):
		return false
	case has && n >= int(bounds[1]):
		return true
	case !has:
		bounds[1] = maxQuestions
	}
	_, found := q.find(d, n)
	if found {
		bounds[1] = int8(n)
	} else {
		bounds[0] = int8(n + 1)
	}
	q.known[d] = bounds
	return found
}

// weight counts the ways in which n answers can go on. More than 2^n cannot be told apart.
func (q *questioning) weight(d doubts, n int) (sum int) {
	for i, count := range d[:q.lies+1] {
		ways, choose := 0, 1
		for lies := 0; lies <= q.lies-i; lies++ {
			ways += choose
			choose = choose * (n - lies) / (lies + 1)
		}
		sum += int(count) * ways
	}
	return sum
}

// find looks for a question after which n-1 more are enough, beginning with those that halve each
// kind.
func (q *questioning) find(d doubts, n int) (in doubts, found bool) {
	total := 1
	for _, count := range d {
		total *= int(count) + 1
	}
	for i := range total {
		rest := i
		for kind, count := range d {
			size := int(count) + 1
			in[kind] = halved(rest%size, int(count))
			rest /= size
		}
		yes, no := d.answered(q.lies, in)
		if q.weight(yes, n-1) > 1<<(n-1) || q.weight(no, n-1) > 1<<(n-1) {
			continue
		}
		if q.enough(yes, n-1) && q.enough(no, n-1) {
			return in, true
		}
	}
	return in, false
}

// halved returns number i of 0 to n, ordered by the distance from half of n.
func halved(i, n int) uint8 {
	if i%2 == 1 {
		return uint8(n/2 + (i+1)/2)
	}
	return uint8(n/2 - i/2)
}
