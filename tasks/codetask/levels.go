package codetask

// The kinds of each level. Their names are also those of the functions to write.
//
// To add a kind, write the function that draws a [draft], a line here and a second solver in the
// tests. TestGolden writes its file anew with -update, and TestPython, with -tags heavy, shows the
// mutants of the solution that pass: make the cases sharper, or list them with a reason.
var (
	levelZero = []kind{
		{"fold_kept", foldKept},
		{"count_characters", countCharacters},
		{"pick_word", pickWord},
		{"remake_text", remakeText},
		{"fold_digits", foldDigits},
		{"take_elements", takeElements},
		{"compare_lists", compareLists},
		{"sort_by_key", sortByKey},
		{"fold_range", foldRange},
	}
	levelOne = []kind{
		{"encode_runs", encodeRuns},
		{"longest_run", longestRun},
		{"best_window", bestWindow},
		{"rank_values", rankValues},
		{"drop_repeats", dropRepeats},
		{"count_words", countWords},
		{"measure_lines", measureLines},
		{"shift_letters", shiftLetters},
		{"write_in_base", writeInBase},
		{"check_brackets", checkBrackets},
		{"count_pairs", countPairs},
	}
	levelTwo = []kind{
		{"grow_cells", growCells},
		{"measure_regions", measureRegions},
		{"read_table", readTable},
		{"count_days", countDays},
		{"shift_date", shiftDate},
		{"merge_intervals", mergeIntervals},
		{"walk_robot", walkRobot},
		{"run_stack", runStack},
		{"circle_game", circleGame},
		{"factor_number", factorNumber},
		{"total_records", totalRecords},
		{"serve_queue", serveQueue},
	}
	levelThree = []kind{
		{"grid_path", gridPath},
		{"order_tasks", orderTasks},
		{"evaluate_expression", evaluateExpression},
		{"pay_amount", payAmount},
		{"longest_subsequence", longestSubsequence},
		{"edit_cost", editCost},
		{"choose_intervals", chooseIntervals},
		{"simulate_cache", simulateCache},
		{"join_groups", joinGroups},
		{"measure_tree", measureTree},
	}
	levelFour = []kind{
		{"cheapest_route", cheapestRoute},
		{"best_nodes", bestNodes},
		{"count_inversions", countInversions},
		{"window_extremes", windowExtremes},
		{"count_blocks", countBlocks},
		{"fold_bars", foldBars},
		{"smallest_limit", smallestLimit},
		{"update_ranges", updateRanges},
		{"text_borders", textBorders},
		{"far_term", recurrence},
		{"count_numbers", countNumbers},
	}
)
