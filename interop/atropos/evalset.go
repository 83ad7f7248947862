package atropos

import (
	"math/bits"
	"strings"
)

// The fixed set of Atropos' ReasoningGym environment, as its class has it by default.
const (
	Seed            = 42  // of the environment; it draws the tasks
	EvalSeed        = 123 // of the problems
	EvalProblems    = 5   // of each task
	EvalTemperature = 0.1
	EvalMaxTokens   = 4096 // twice its max_token_length, prompt included
	evalTasks       = 20
)

// registry lists the data sets that the environment chooses from, in the order in which
// reasoning-gym 0.1.23 registers them, which has the 104 of the commit that Atropos pins
// (9e79fc84), without composite, which the environment cannot make.
const registry = `complex_arithmetic intermediate_integration polynomial_equations polynomial_multiplication simple_equations
simple_integration ab base_conversion binary_alternation binary_matrix caesar_cipher count_primes cryptarithm game_of_life
game_of_life_halting graph_color group_anagrams isomorphic_strings jugs letter_counting letter_jumble manipulate_matrix
number_filtering number_sorting palindrome_generation palindrome_partitioning pool_matrix ransom_note rotate_matrix
rotten_oranges sentence_reordering spell_backward spiral_matrix string_insertion string_manipulation string_splitting
string_synthesis word_ladder word_sequence_reversal word_sorting arc_1d arc_agi rearc basic_arithmetic bitwise_arithmetic
calendar_arithmetic chain_sum count_bits decimal_arithmetic decimal_chain_sum dice fraction_simplification gcd gsm_symbolic
lcm leg_counting number_format power_function prime_factorization products time_intervals bf codeio color_cube_rotation
figlet_font modulo_grid needle_haystack number_sequence rectangle_count rubiks_cube boxnet countdown emoji_mystery futoshiki
kakurasu knight_swap mahjong_puzzle maze mini_sudoku n_queens puzzle24 rush_hour sokoban sudoku survo tower_of_hanoi tsumego
advanced_geometry simple_geometry course_schedule family_relationships largest_island quantum_lock shortest_path acre
list_functions aiw circuit_logic knights_knaves propositional_logic self_reference syllogism zebra_puzzles`

// EvalTasks returns the names of the 20 tasks that Atropos' ReasoningGym environment with a
// seed evaluates, in its order: what random.Random(seed).sample draws in Python.
func EvalTasks(seed uint64) []string {
	names := strings.Fields(registry)
	drawn := map[string]bool{}
	var tasks []string
	for r := newTwister(seed); len(tasks) < evalTasks; {
		if name := names[r.below(len(names))]; !drawn[name] {
			drawn[name] = true
			tasks = append(tasks, name)
		}
	}
	return tasks
}

// A twister is the generator MT19937 (Matsumoto and Nishimura, "Mersenne Twister", 1998),
// with which Python draws.
type twister struct {
	state [624]uint32
	next  int
}

// newTwister returns the generator that Python's random.Random(seed) has: the words of the
// seed, the lowest first, are the key of init_by_array.
func newTwister(seed uint64) *twister {
	key := []uint32{uint32(seed)}
	if high := uint32(seed >> 32); high > 0 {
		key = append(key, high)
	}
	r := &twister{next: len(twister{}.state)}
	s := &r.state
	s[0] = 19650218
	for i := 1; i < len(s); i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + uint32(i)
	}
	at := 1
	stir := func(factor uint32, add func(i int) uint32) {
		s[at] = (s[at] ^ (s[at-1]^s[at-1]>>30)*factor) + add(at)
		if at++; at == len(s) {
			s[0], at = s[len(s)-1], 1
		}
	}
	for k := range s {
		stir(1664525, func(int) uint32 { return key[k%len(key)] + uint32(k%len(key)) })
	}
	for range len(s) - 1 {
		stir(1566083941, func(i int) uint32 { return -uint32(i) })
	}
	s[0] = 1 << 31
	return r
}

// below returns a number from 0 to n-1, as Python does: it draws as many bits as n has until
// they are below n.
func (r *twister) below(n int) int {
	for {
		if v := int(r.uint32() >> (32 - bits.Len(uint(n)))); v < n {
			return v
		}
	}
}

// uint32 returns 32 random bits.
func (r *twister) uint32() uint32 {
	if r.next == len(r.state) {
		r.twist()
	}
	v := r.state[r.next]
	r.next++
	v ^= v >> 11
	v ^= v << 7 & 0x9d2c5680
	v ^= v << 15 & 0xefc60000
	return v ^ v>>18
}

// twist makes the next 624 numbers.
func (r *twister) twist() {
	s := &r.state
	for i := range s {
		v := s[i]&(1<<31) | s[(i+1)%len(s)]&(1<<31-1)
		s[i] = s[(i+397)%len(s)] ^ v>>1 ^ v&1*0x9908b0df
	}
	r.next = 0
}
