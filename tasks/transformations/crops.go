package transformations

import "github.com/quintain-rl/quintain/internal/grid"

// cropped makes a rule that works on the smallest rectangle with all colored cells.
func cropped(apply func(p *picture) board) func(p *picture) board {
	return func(p *picture) board {
		x, ok := around(p.board, colored)
		if !ok || x.height() == len(p.board) && x.width() == len(p.board[0]) {
			return nil
		}
		return apply(&picture{board: cut(p.board, x)})
	}
}

// moved makes a rule that moves the smallest rectangle with all colored cells, by the steps
// down and to the right that a function returns for it and a board of h rows and w columns.
func moved(by func(x box, h, w int) (down, right int)) func(p *picture) board {
	return func(p *picture) board {
		x, ok := around(p.board, colored)
		if !ok {
			return nil
		}
		h, w := size(p.board)
		down, right := by(x, h, w)
		return grid.Build(h, w, func(i, j int) int { return max(ground, at(p.board, i-down, j-right)) })
	}
}

// cropRules cut out or move everything colored.
var cropRules = []rule{
	{"crop", 1, island, cropped(func(p *picture) board { return p.board })},
	{"crop_and_mirror_sideways", 2, island, cropped(placed(same, sideways))},
	{"crop_and_mirror_up_down", 2, island, cropped(placed(same, upDown))},
	{"crop_and_turn_right", 3, island, cropped(placed(turned, right))},
	{"crop_and_turn_left", 3, island, cropped(placed(turned, left))},
	{"crop_and_turn_half", 3, island, cropped(placed(same, half))},
	{"crop_and_repeat_sideways", 2, island, cropped(placed(wide, again))},
	{"crop_and_enlarge_twice", 3, island, cropped(placed(double, twiceAsLarge))},
	{"move_to_left_edge", 1, island, moved(func(x box, _, _ int) (int, int) { return 0, -x.left })},
	{"move_to_right_edge", 1, island, moved(func(x box, _, w int) (int, int) { return 0, w - 1 - x.right })},
	{"move_to_top", 1, island, moved(func(x box, _, _ int) (int, int) { return -x.top, 0 })},
	{"move_to_bottom", 1, island, moved(func(x box, h, _ int) (int, int) { return h - 1 - x.bottom, 0 })},
	{"move_to_top_left_corner", 2, island, moved(func(x box, _, _ int) (int, int) { return -x.top, -x.left })},
	{"move_to_bottom_right_corner", 2, island, moved(func(x box, h, w int) (int, int) { return h - 1 - x.bottom, w - 1 - x.right })},
}
