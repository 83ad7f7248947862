package catalog_test

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/tasks/catalog"
)

// The tasks equal random.Random(seed).sample(names, 20) in CPython 3.11.
func TestAtroposTasksAreThoseOfPython(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		seed uint64
		want string
	}{
		{42, "rush_hour game_of_life_halting polynomial_multiplication acre string_splitting spell_backward rotate_matrix isomorphic_strings game_of_life tsumego rubiks_cube count_primes knight_swap lcm simple_equations ransom_note rotten_oranges figlet_font maze countdown"},
		{1918, "binary_matrix kakurasu palindrome_partitioning modulo_grid string_splitting pool_matrix arc_1d manipulate_matrix arc_agi zebra_puzzles rearc spiral_matrix rotten_oranges chain_sum gsm_symbolic string_synthesis largest_island word_sequence_reversal dice power_function"},
		{0, "decimal_chain_sum circuit_logic gsm_symbolic simple_integration string_insertion modulo_grid codeio fraction_simplification self_reference word_sequence_reversal bf calendar_arithmetic kakurasu ransom_note figlet_font isomorphic_strings string_synthesis aiw cryptarithm n_queens"},
		{1099511627781, "figlet_font needle_haystack string_manipulation survo polynomial_multiplication number_sequence circuit_logic self_reference simple_integration manipulate_matrix caesar_cipher syllogism isomorphic_strings sentence_reordering sudoku advanced_geometry spell_backward decimal_arithmetic shortest_path graph_color"},
	} {
		if got := strings.Join(catalog.AtroposTaskNames(test.seed), " "); got != test.want {
			t.Errorf("seed %d: %s, want %s", test.seed, got, test.want)
		}
	}
}
