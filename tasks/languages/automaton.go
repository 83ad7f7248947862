package languages

import (
	"fmt"
	"slices"
)

// An automaton is a deterministic finite automaton over a few letters, numbered from 0. Its first
// state is 0.
type automaton struct {
	next   [][]int // by state and letter
	accept []bool
}

// built returns the automaton with n states that step and accept describe.
func built(n, letters int, step func(state, letter int) int, accept func(state int) bool) automaton {
	a := automaton{make([][]int, n), make([]bool, n)}
	for state := range n {
		a.next[state] = make([]int, letters)
		for letter := range letters {
			a.next[state][letter] = step(state, letter)
		}
		a.accept[state] = accept(state)
	}
	return a
}

// matches reports whether a accepts a string of its letters.
func (a automaton) matches(text, letters string) bool {
	state := 0
	for i := range len(text) {
		state = a.next[state][slices.Index([]byte(letters), text[i])]
	}
	return a.accept[state]
}

// both returns the automaton that accepts what a and b accept.
func both(a, b automaton) automaton {
	var all automaton
	pairs := [][2]int{{0, 0}}
	numbers := map[[2]int]int{{0, 0}: 0}
	for i := 0; i < len(pairs); i++ {
		p := pairs[i]
		next := make([]int, len(a.next[0]))
		for letter := range next {
			to := [2]int{a.next[p[0]][letter], b.next[p[1]][letter]}
			if _, known := numbers[to]; !known {
				numbers[to] = len(pairs)
				pairs = append(pairs, to)
			}
			next[letter] = numbers[to]
		}
		all.next, all.accept = append(all.next, next), append(all.accept, a.accept[p[0]] && b.accept[p[1]])
	}
	return all
}

// least returns the automaton with the fewest states that accepts the same strings (E. Moore, 1956).
// Its states are numbered as they are reached.
func (a automaton) least() automaton {
	class := make([]int, len(a.next))
	for state, accept := range a.accept {
		if accept {
			class[state] = 1
		}
	}
	for before := 0; ; {
		numbers := map[string]int{}
		refined := make([]int, len(class))
		var mark []byte
		for state, next := range a.next {
			mark = append(mark[:0], byte(class[state]>>8), byte(class[state]))
			for _, to := range next {
				mark = append(mark, byte(class[to]>>8), byte(class[to]))
			}
			number, known := numbers[string(mark)]
			if !known {
				number = len(numbers)
				numbers[string(mark)] = number
			}
			refined[state] = number
		}
		class = refined
		if len(numbers) == before {
			break
		}
		before = len(numbers)
	}
	order := make([]int, len(a.next[0]))
	for i := range order {
		order[i] = i
	}
	return a.renumbered(class, order)
}

// renumbered merges the states of a class, takes the letters in another order, and numbers the
// states as they are reached.
func (a automaton) renumbered(class, letters []int) automaton {
	var all automaton
	number, states := map[int]int{class[0]: 0}, []int{0}
	for i := 0; i < len(states); i++ {
		next := make([]int, len(letters))
		for k, letter := range letters {
			to := a.next[states[i]][letter]
			if _, known := number[class[to]]; !known {
				number[class[to]] = len(states)
				states = append(states, to)
			}
			next[k] = number[class[to]]
		}
		all.next, all.accept = append(all.next, next), append(all.accept, a.accept[states[i]])
	}
	return all
}

// mirrored returns the least automaton that accepts the strings of a read from the end (J. Brzozowski, 1962).
func (a automaton) mirrored() automaton {
	var all automaton
	sets, numbers := [][]bool{a.accept}, map[string]int{fmt.Sprint(a.accept): 0}
	for i := 0; i < len(sets); i++ {
		next := make([]int, len(a.next[0]))
		for letter := range next {
			before := make([]bool, len(a.next))
			for state, to := range a.next {
				before[state] = sets[i][to[letter]]
			}
			text := fmt.Sprint(before)
			if _, known := numbers[text]; !known {
				numbers[text] = len(sets)
				sets = append(sets, before)
			}
			next[letter] = numbers[text]
		}
		all.next, all.accept = append(all.next, next), append(all.accept, sets[i][0])
	}
	return all.least()
}

// canonical returns a text that stands for the language of a least automaton, whatever its letters
// are called, and the order of the letters that gives it.
func (a automaton) canonical() (text string, order []int) {
	class := make([]int, len(a.next))
	for i := range class {
		class[i] = i
	}
	permute(len(a.next[0]), func(letters []int) {
		b := a.renumbered(class, letters)
		if written := fmt.Sprint(b.next, b.accept); text == "" || written < text {
			text, order = written, slices.Clone(letters)
		}
	})
	return text, order
}

// permute calls f with every order of n numbers.
func permute(n int, f func([]int)) {
	var add func(order []int)
	add = func(order []int) {
		if len(order) == n {
			f(order)
			return
		}
		for i := range n {
			if !slices.Contains(order, i) {
				add(append(order, i))
			}
		}
	}
	add(make([]int, 0, n))
}

// live tells for each state whether an accepting one can be reached.
func (a automaton) live() []bool {
	live := slices.Clone(a.accept)
	for more := true; more; {
		more = false
		for state, next := range a.next {
			if !live[state] && slices.ContainsFunc(next, func(to int) bool { return live[to] }) {
				live[state], more = true, true
			}
		}
	}
	return live
}

// endless reports whether a accepts strings of any length. An automaton with n states that accepts
// a string of n letters or more does.
func (a automaton) endless() bool {
	live, reached := a.live(), make([]bool, len(a.next))
	reached[0] = true
	for range len(a.next) {
		reached = a.after(reached)
		for state := range reached {
			reached[state] = reached[state] && live[state]
		}
	}
	return slices.Contains(reached, true)
}

// after returns the states that one letter leads to from those given.
func (a automaton) after(states []bool) []bool {
	next := make([]bool, len(states))
	for state, here := range states {
		for _, to := range a.next[state] {
			next[to] = next[to] || here
		}
	}
	return next
}
