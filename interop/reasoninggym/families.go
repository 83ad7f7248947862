package reasoninggym

// families returns the scoring of a family of problems.
func families(name string) (family, bool) {
	for _, table := range []func(string) (family, bool){textFamilies, numberFamilies, gridFamilies, planFamilies} {
		if f, known := table(name); known {
			return f, true
		}
	}
	return family{}, false
}

// textFamilies returns how families are scored whose answers are compared as texts.
func textFamilies(name string) (family, bool) {
	switch name {
	case "acre", "aiw", "arc_1d", "base_conversion", "basic_arithmetic", "bf", "binary_alternation", "caesar_cipher", "count_bits",
		"count_primes", "course_schedule", "gcd", "isomorphic_strings", "largest_island", "lcm", "leg_counting", "letter_counting",
		"list_functions", "mahjong_puzzle", "maze", "modulo_grid", "number_filtering", "number_sequence", "ransom_note", "rotate_matrix",
		"rotten_oranges", "simple_equations", "simple_geometry", "string_manipulation", "string_splitting", "string_synthesis",
		"syllogism", "word_sequence_reversal":
		return family{score: contained}, true
	case "ab", "self_reference":
		return family{score: exactText}, true
	case "family_relationships":
		return family{score: foldedText}, true
	case "dice", "zebra_puzzles":
		return family{score: foldedLines}, true
	case "color_cube_rotation":
		return family{score: color}, true
	case "needle_haystack":
		return family{score: person}, true
	case "path_star":
		return family{score: spacedText}, true
	case "circuit_logic":
		return family{score: paddedText}, true
	case "tsumego":
		return family{score: point}, true
	case "game_of_life_halting":
		return family{score: anyText}, true
	}
	return wordFamilies(name)
}

// wordFamilies returns how families are scored that pay for parts of a text.
func wordFamilies(name string) (family, bool) {
	switch name {
	case "letter_jumble":
		return family{score: jumbled}, true
	case "sentence_reordering":
		return family{score: reordered}, true
	case "spell_backward":
		return family{score: spelled}, true
	case "word_sorting":
		return family{score: sorted}, true
	case "emoji_mystery":
		return family{score: hidden}, true
	case "figlet_font":
		return family{score: drawn}, true
	case "palindrome_generation":
		return family{score: palindrome}, true
	case "word_ladder":
		return family{score: ladder}, true
	case "knights_knaves":
		return family{score: knights}, true
	case "propositional_logic":
		return family{score: entailed}, true
	case "codeio":
		return family{score: similar}, true
	}
	return family{}, false
}

// numberFamilies returns how families are scored whose answers are numbers or formulas.
func numberFamilies(name string) (family, bool) {
	switch name {
	case "chain_sum", "products":
		return family{score: sameNumber}, true
	case "decimal_chain_sum":
		return family{score: sameDecimal}, true
	case "decimal_arithmetic":
		return family{score: nearDecimal}, true
	case "bitwise_arithmetic":
		return family{score: bitwise}, true
	case "calendar_arithmetic":
		return family{score: calendar}, true
	case "coin_flip":
		return family{score: probability}, true
	case "complex_arithmetic":
		return family{score: complexNumber}, true
	case "fraction_simplification":
		return family{fraction, 0.01}, true
	case "gsm_symbolic":
		return family{score: firstNumber}, true
	case "number_format":
		return family{score: formatted}, true
	case "power_function":
		return family{score: threeDigits}, true
	case "prime_factorization":
		return family{score: factors}, true
	case "rectangle_count":
		return family{score: nearCount}, true
	case "time_intervals":
		return family{score: interval}, true
	case "polynomial_equations":
		return family{score: roots}, true
	case "advanced_geometry":
		return family{score: triangle}, true
	case "countdown":
		return family{countdown, 0.01}, true
	case "puzzle24":
		return family{twentyFour, 0.01}, true
	case "polynomial_multiplication":
		return family{score: expanded}, true
	case "simple_integration", "intermediate_integration":
		return family{score: antiderivative}, true
	}
	return family{}, false
}

// gridFamilies returns how families are scored whose answers are lists or grids.
func gridFamilies(name string) (family, bool) {
	switch name {
	case "arc_agi", "rearc":
		return family{score: arcGrid}, true
	case "binary_matrix":
		return family{score: matrix}, true
	case "spiral_matrix":
		return family{score: spiral}, true
	case "string_insertion":
		return family{score: inserted}, true
	case "n_queens":
		return family{score: queens}, true
	case "manipulate_matrix":
		return family{score: squeezed}, true
	case "pool_matrix":
		return family{score: pooled}, true
	case "number_sorting":
		return family{score: sortedNumbers}, true
	case "game_of_life":
		return family{score: life}, true
	case "group_anagrams":
		return family{score: anagrams}, true
	case "palindrome_partitioning":
		return family{score: partitions}, true
	case "futoshiki", "mini_sudoku", "sudoku":
		return family{score: latinSquare}, true
	case "kakurasu":
		return family{score: kakurasu}, true
	case "survo":
		return family{score: survo}, true
	}
	return family{}, false
}

// planFamilies returns how families are scored whose answers are moves or assignments.
func planFamilies(name string) (family, bool) {
	switch name {
	case "boxnet":
		return family{score: boxes}, true
	case "cryptarithm":
		return family{score: letters}, true
	case "graph_color":
		return family{score: coloring}, true
	case "jugs":
		return family{score: jugs}, true
	case "knight_swap":
		return family{score: knightSwap}, true
	case "quantum_lock":
		return family{score: buttons}, true
	case "rubiks_cube":
		return family{score: cube}, true
	case "rush_hour":
		return family{score: cars}, true
	case "shortest_path":
		return family{score: route}, true
	case "sokoban":
		return family{score: warehouse}, true
	case "tower_of_hanoi":
		return family{score: tower}, true
	}
	return family{}, false
}
