package patterns

import (
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/internal/grid"
)

// A letterFont is a way to draw words.
type letterFont struct {
	name   string
	tier   int // 1 to 3, easiest first
	shapes func() *letterShapes
	draw   func(grid.Grid[byte]) string
}

// figletFonts are all fonts, the easiest first. DO NOT CHANGE THE ORDER: it decides which
// problems a seed gives.
var figletFonts = []letterFont{
	{"own_letters", 1, blockShapes, drawOwnLetters},
	{"block", 1, blockShapes, drawIn("#")},
	{"wide", 1, blockShapes, drawIn("##")},

	{"stars", 2, blockShapes, drawIn("*")},
	{"small", 2, smallShapes, drawIn("#")},
	{"small_wide", 2, smallShapes, drawIn("[]")},
	{"lines", 2, lineShapes, drawAsIs},
	{"large", 2, smallShapes, drawLarge},
	{"shadow", 2, blockShapes, drawShadow},
	{"italic", 2, blockShapes, drawItalic},
	{"negative", 2, blockShapes, drawNegative},

	{"small_negative", 3, smallShapes, drawNegative},
	{"outline", 3, smallShapes, drawOutline},
	{"other_letters", 3, blockShapes, drawOtherLetters},
	{"half_blocks", 3, blockShapes, drawHalfBlocks},
	{"small_half_blocks", 3, smallShapes, drawHalfBlocks},
	{"braille", 3, blockShapes, drawBraille},
	{"small_braille", 3, smallShapes, drawBraille},
}

// figletFontNamed finds a font.
func figletFontNamed(name string) (letterFont, bool) {
	i := slices.IndexFunc(figletFonts, func(f letterFont) bool { return f.name == name })
	if i < 0 {
		return letterFont{}, false
	}
	return figletFonts[i], true
}

// figletFontNames returns the names of all fonts.
func figletFontNames() (names []string) {
	for _, f := range figletFonts {
		names = append(names, f.name)
	}
	return names
}

// letterShapes are the letters from A to Z as grids of one height. A blank cell is 0; any
// other holds the letter, or the character to draw it with. No letter has a blank column.
type letterShapes [26]grid.Grid[byte]

// write puts the letters of a word next to each other, with gap blank columns between them.
func (s *letterShapes) write(word string, gap int) grid.Grid[byte] {
	cols := gap * (len(word) - 1)
	for i := range len(word) {
		cols += len(s[word[i]-'A'][0])
	}
	cells, at := grid.New[byte](len(s[0]), cols), 0
	for i := range len(word) {
		shape := s[word[i]-'A']
		for row := range shape {
			copy(cells[row][at:], shape[row])
		}
		at += len(shape[0]) + gap
	}
	return cells
}

var (
	blockShapes = sync.OnceValue(func() *letterShapes { return readShapes(blockText, false) })
	smallShapes = sync.OnceValue(func() *letterShapes { return readShapes(smallText, false) })
	lineShapes  = sync.OnceValue(func() *letterShapes { return readShapes(lineText, true) })
)

// readShapes reads shapes: a line for each row of all letters. Columns of bars ¦, from the
// first to the last line, separate the letters. Dots are blank; asIs keeps the characters.
func readShapes(text string, asIs bool) *letterShapes {
	shapes := new(letterShapes)
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		for i, part := range strings.Split(line, "¦") {
			row := []byte(part)
			for j, c := range row {
				row[j] = shapeCell(c, i, asIs)
			}
			shapes[i] = append(shapes[i], row)
		}
	}
	return shapes
}

// shapeCell returns the cell for a character in the shape of letter i.
func shapeCell(c byte, i int, asIs bool) byte {
	switch {
	case c == '.':
		return 0
	case asIs:
		return c
	}
	return byte('A' + i)
}

const blockText = `
.###.¦####.¦.####¦####.¦#####¦#####¦.####¦#...#¦###¦..###¦#...#¦#....¦#...#¦#...#¦.###.¦####.¦.###.¦####.¦.####¦#####¦#...#¦#...#¦#...#¦#...#¦#...#¦#####
#...#¦#...#¦#....¦#...#¦#....¦#....¦#....¦#...#¦.#.¦...#.¦#..#.¦#....¦##.##¦##..#¦#...#¦#...#¦#...#¦#...#¦#....¦..#..¦#...#¦#...#¦#...#¦#...#¦#...#¦....#
#...#¦#...#¦#....¦#...#¦#....¦#....¦#....¦#...#¦.#.¦...#.¦#.#..¦#....¦#.#.#¦#.#.#¦#...#¦#...#¦#...#¦#...#¦#....¦..#..¦#...#¦#...#¦#...#¦.#.#.¦.#.#.¦...#.
#####¦####.¦#....¦#...#¦####.¦####.¦#..##¦#####¦.#.¦...#.¦##...¦#....¦#.#.#¦#..##¦#...#¦####.¦#...#¦####.¦.###.¦..#..¦#...#¦#...#¦#.#.#¦..#..¦..#..¦..#..
#...#¦#...#¦#....¦#...#¦#....¦#....¦#...#¦#...#¦.#.¦...#.¦#.#..¦#....¦#...#¦#...#¦#...#¦#....¦#.#.#¦#.#..¦....#¦..#..¦#...#¦#...#¦#.#.#¦.#.#.¦..#..¦.#...
#...#¦#...#¦#....¦#...#¦#....¦#....¦#...#¦#...#¦.#.¦#..#.¦#..#.¦#....¦#...#¦#...#¦#...#¦#....¦#..#.¦#..#.¦....#¦..#..¦#...#¦.#.#.¦##.##¦#...#¦..#..¦#....
#...#¦####.¦.####¦####.¦#####¦#....¦.###.¦#...#¦###¦.##..¦#...#¦#####¦#...#¦#...#¦.###.¦#....¦.##.#¦#...#¦####.¦..#..¦.###.¦..#..¦#...#¦#...#¦..#..¦#####
`

const smallText = `
.##.¦###.¦.###¦###.¦###¦###¦.###¦#.#¦#¦..#¦#..#¦#..¦#...#¦#..#¦.##.¦###.¦.##.¦###.¦.###¦###¦#..#¦#.#¦#...#¦#.#¦#.#¦####
#..#¦#..#¦#...¦#..#¦#..¦#..¦#...¦#.#¦#¦..#¦#.#.¦#..¦##.##¦##.#¦#..#¦#..#¦#..#¦#..#¦#...¦.#.¦#..#¦#.#¦#...#¦#.#¦#.#¦..#.
####¦###.¦#...¦#..#¦##.¦##.¦#.##¦###¦#¦..#¦##..¦#..¦#.#.#¦#.##¦#..#¦###.¦#..#¦###.¦.##.¦.#.¦#..#¦#.#¦#.#.#¦.#.¦.#.¦.#..
#..#¦#..#¦#...¦#..#¦#..¦#..¦#..#¦#.#¦#¦#.#¦#.#.¦#..¦#...#¦#..#¦#..#¦#...¦#.#.¦#.#.¦...#¦.#.¦#..#¦#.#¦##.##¦#.#¦.#.¦#...
#..#¦###.¦.###¦###.¦###¦#..¦.###¦#.#¦#¦.#.¦#..#¦###¦#...#¦#..#¦.##.¦#...¦.#.#¦#..#¦###.¦.#.¦.##.¦.#.¦#...#¦#.#¦.#.¦####
`

const lineText = `
._.¦._.¦.__¦._.¦.__¦.__¦.__.¦...¦.¦...¦...¦..¦....¦....¦.__.¦._.¦.__.¦._.¦.__¦___¦...¦....¦........¦..¦....¦__
|_|¦|_)¦|..¦|.\¦|_.¦|_.¦|._.¦|_|¦|¦..|¦|_/¦|.¦|\/|¦|\.|¦|..|¦|_)¦|..|¦|_)¦(_.¦.|.¦|.|¦\../¦\../\../¦\/¦\../¦./
|.|¦|_)¦|__¦|_/¦|__¦|..¦|__|¦|.|¦|¦(_|¦|.\¦|_¦|..|¦|.\|¦|__|¦|..¦|__\¦|.\¦__)¦.|.¦|_|¦.\/.¦.\/..\/.¦/\¦.||.¦/_
`

// drawWith writes a picture, cell by cell, without space at the ends of lines.
func drawWith(cells grid.Grid[byte], cell func(b []byte, row, col int) []byte) string {
	b := make([]byte, 0, 4*len(cells)*len(cells[0]))
	for row := range cells {
		if row > 0 {
			b = append(b, '\n')
		}
		for col := range cells[row] {
			b = cell(b, row, col)
		}
		for len(b) > 0 && b[len(b)-1] == ' ' {
			b = b[:len(b)-1]
		}
	}
	return string(b)
}

// drawIn draws with a text in place of each cell of a letter.
func drawIn(ink string) func(grid.Grid[byte]) string {
	blank := strings.Repeat(" ", len(ink))
	return func(cells grid.Grid[byte]) string {
		return drawWith(cells, func(b []byte, row, col int) []byte {
			if cells[row][col] == 0 {
				return append(b, blank...)
			}
			return append(b, ink...)
		})
	}
}

// drawLetters draws with letters.
func drawLetters(cells grid.Grid[byte], times int, letter func(c byte) byte) string {
	return drawWith(cells, func(b []byte, row, col int) []byte {
		c := byte(' ')
		if cells[row][col] != 0 {
			c = letter(cells[row][col])
		}
		for range times {
			b = append(b, c)
		}
		return b
	})
}

func drawAsIs(cells grid.Grid[byte]) string {
	return drawLetters(cells, 1, func(c byte) byte { return c })
}

// drawOwnLetters draws each letter with itself, twice per cell, so that no line of the
// picture is the word.
func drawOwnLetters(cells grid.Grid[byte]) string {
	return drawLetters(cells, 2, func(c byte) byte { return c })
}

// drawOtherLetters draws each letter with the one seven places after it.
func drawOtherLetters(cells grid.Grid[byte]) string {
	return drawLetters(cells, 1, func(c byte) byte { return 'A' + (c-'A'+7)%26 })
}

// magnified returns cells, each enlarged to rows times cols, within blank margins of the
// given width.
func magnified(cells grid.Grid[byte], rows, cols, margin int) grid.Grid[byte] {
	large := grid.New[byte](len(cells)*rows+2*margin, len(cells[0])*cols+2*margin)
	for i := range len(cells) * rows {
		for j := range len(cells[0]) * cols {
			large[i+margin][j+margin] = cells[i/rows][j/cols]
		}
	}
	return large
}

func drawLarge(cells grid.Grid[byte]) string { return drawIn("@")(magnified(cells, 2, 4, 0)) }

// drawNegative draws the letters as gaps in a block.
func drawNegative(cells grid.Grid[byte]) string {
	cells = magnified(cells, 1, 1, 1)
	return drawWith(cells, func(b []byte, row, col int) []byte {
		if cells[row][col] == 0 {
			return append(b, '#')
		}
		return append(b, ' ')
	})
}

// drawShadow draws a shadow to the right of the letters and below.
func drawShadow(cells grid.Grid[byte]) string {
	cells = magnified(cells, 1, 1, 1)
	return drawWith(cells[1:], func(b []byte, row, col int) []byte {
		switch {
		case cells[row+1][col] != 0:
			return append(b, '#')
		case col > 0 && cells[row][col-1] != 0:
			return append(b, ':')
		}
		return append(b, ' ')
	})
}

// drawItalic shifts each row to the right of the next one.
func drawItalic(cells grid.Grid[byte]) string {
	return drawWith(cells, func(b []byte, row, col int) []byte {
		for range len(cells) - 1 - row {
			if col == 0 {
				b = append(b, ' ')
			}
		}
		if cells[row][col] == 0 {
			return append(b, "  "...)
		}
		return append(b, "//"...)
	})
}

// drawOutline draws the border cells of letters three times as large.
func drawOutline(cells grid.Grid[byte]) string {
	cells = magnified(cells, 3, 4, 1)
	border := func(row, col int) bool {
		for i := row - 1; i <= row+1; i++ {
			for j := col - 1; j <= col+1; j++ {
				if cells[i][j] == 0 {
					return true
				}
			}
		}
		return false
	}
	return drawWith(cells[1:len(cells)-1], func(b []byte, row, col int) []byte {
		if cells[row+1][col] == 0 || !border(row+1, col) {
			return append(b, ' ')
		}
		return append(b, '+')
	})
}

// packed draws rows times cols cells in one character; bits are the inked ones, row by row
// from the lowest bit.
func packed(cells grid.Grid[byte], rows, cols int, character func(bits int) rune) string {
	small := grid.New[byte]((len(cells)+rows-1)/rows, (len(cells[0])+cols-1)/cols)
	for i := range cells {
		for j, c := range cells[i] {
			if c != 0 {
				small[i/rows][j/cols] |= 1 << (i%rows*cols + j%cols)
			}
		}
	}
	return drawWith(small, func(b []byte, row, col int) []byte {
		return append(b, string(character(int(small[row][col])))...)
	})
}

func drawHalfBlocks(cells grid.Grid[byte]) string {
	return packed(cells, 2, 1, func(bits int) rune { return [...]rune{' ', '▀', '▄', '█'}[bits] })
}

func drawBraille(cells grid.Grid[byte]) string {
	dots := [...]rune{1, 8, 2, 16, 4, 32, 64, 128} // Unicode's Braille bits, row by row
	return packed(cells, 4, 2, func(bits int) rune {
		pattern := '\u2800'
		for i, dot := range dots {
			if bits>>i&1 == 1 {
				pattern += dot
			}
		}
		return pattern
	})
}
