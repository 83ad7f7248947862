package catalog

import (
	"strings"

	"github.com/quintain-rl/quintain/task"
)

// atroposTasks is the number of tasks that the environment evaluates.
const atroposTasks = 20

// AtroposTasks returns the tasks that Atropos evaluates under a seed, with reasoning-gym's
// parameters. It leaves out those missing from all.
func AtroposTasks(all *task.Set, seed uint64) (choices Choices) {
	for _, name := range AtroposTaskNames(seed) {
		if _, err := all.Get(name); err != nil {
			continue
		}
		choices = append(choices, Choice{Name: name, Params: []byte("{}"), Weight: 1})
	}
	return choices
}

// atroposRegistry lists the data sets that the environment chooses from, in the order of
// reasoning-gym 0.1.23. That has the 104 data sets of the commit that Atropos pins
// (9e79fc84); composite is left out, since the environment cannot make it.
const atroposRegistry = `complex_arithmetic intermediate_integration polynomial_equations polynomial_multiplication simple_equations
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

// AtroposTaskNames returns the 20 tasks that Atropos' ReasoningGym environment evaluates
// under a seed, in its order: random.Random(seed).sample in Python.
func AtroposTaskNames(seed uint64) []string {
	names := strings.Fields(atroposRegistry)
	drawn := map[string]bool{}
	var tasks []string
	for r := newTwister(seed); len(tasks) < atroposTasks; {
		if name := names[r.below(len(names))]; !drawn[name] {
			drawn[name] = true
			tasks = append(tasks, name)
		}
	}
	return tasks
}
