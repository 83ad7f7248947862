package main

import (
	"fmt"
	"strings"
)

// arm64File returns the file for arm64.
func arm64File() string {
	w := &arm64{}
	w.WriteString(header)
	w.WriteString("#include \"go_asm.h\"\n")
	vectors(w, "NEON")
	w.mul()
	w.multiplyAdds()
	w.score()
	w.mix()
	return w.String()
}

// arm64 is a machine with NEON: a block is two V registers, and the constants of a function
// are in the registers from V20 on. Pointer n is register Rn.
type arm64 struct {
	strings.Builder
	labels int
}

func (w *arm64) line(format string, args ...any) { fmt.Fprintf(w, "\t"+format+"\n", args...) }
func (w *arm64) here(label string)               { fmt.Fprintf(w, "%s:\n", label) }

func (w *arm64) label() string {
	w.labels++
	return fmt.Sprintf("l%d", w.labels)
}

// firstConstant is the register of the first constant of a function.
const firstConstant = 20

func (w *arm64) begin(name string, size int, constants ...uint32) {
	w.labels = 0
	fmt.Fprintf(w, "\nTEXT ·%s(SB), NOSPLIT, $0-%d\n", name, size)
	for i, c := range constants {
		w.line("MOVW $%#x, R10", c)
		w.line("VDUP R10, V%d.S4", firstConstant+i)
	}
}

func (w *arm64) pointer(p int, arg string) { w.line("MOVD %s(FP), R%d", arg, p) }

func (w *arm64) spread(d int, arg string) {
	w.line("MOVWU %s(FP), R10", arg)
	w.halves(d, func(v int) { w.line("VDUP R10, V%d.S4", v) })
}

func (w *arm64) spreadField(d, p int, field string) {
	w.line("MOVWU %s(R%d), R10", field, p)
	w.halves(d, func(v int) { w.line("VDUP R10, V%d.S4", v) })
}

// halves calls f for both registers of a block.
func (w *arm64) halves(d int, f func(v int)) {
	f(2 * d)
	f(2*d + 1)
}

func (w *arm64) constant(d, i int) {
	w.halves(d, func(v int) { w.line("VMOV V%d.B16, V%d.B16", firstConstant+i, v) })
}

func (w *arm64) load(d, p, offset int) {
	w.line("FLDPQ %d(R%d), (F%d, F%d)", 4*width*offset, p, 2*d, 2*d+1)
}

func (w *arm64) store(d, p, offset int) {
	w.line("FSTPQ (F%d, F%d), %d(R%d)", 2*d, 2*d+1, 4*width*offset, p)
}

func (w *arm64) copy(d, a int) {
	for i := range 2 {
		w.line("VMOV V%d.B16, V%d.B16", 2*a+i, 2*d+i)
	}
}

func (w *arm64) fuse(d, a, b int) {
	for i := range 2 {
		w.line("VFMLA V%d.S4, V%d.S4, V%d.S4", 2*b+i, 2*a+i, 2*d+i)
	}
}

func (w *arm64) shift(d, bits int) {
	w.halves(d, func(v int) { w.line("VSHL $%d, V%d.S4, V%d.S4", bits, v, v) })
}

func (w *arm64) result(d int, arg string) { w.line("FMOVS F%d, %s(FP)", 2*d, arg) }

// An encoding is an instruction that Go's assembler lacks, without its registers. Source:
// Arm Architecture Reference Manual, C7.2.
type encoding struct {
	name string
	bits uint32
}

// write writes the instruction that sets vector register d by n and m.
func (e encoding) write(w *arm64, d, n, m int) {
	w.line("WORD $%#08x // %s V%d.4S, V%d.4S, V%d.4S", e.bits|uint32(m<<16|n<<5|d), e.name, d, n, m)
}

var (
	arm64Operations = map[operation]encoding{
		add: {"FADD", 0x4e20d400}, subtract: {"FSUB", 0x4ea0d400}, times: {"FMUL", 0x6e20dc00}, divide: {"FDIV", 0x6e20fc00},
		larger: {"FMAX", 0x4e20f400}, addWhole: {"ADD", 0x4ea08400},
		below: {"FCMGT", 0x6ea0e400}, without: {"BIC", 0x4e601c00}, // with their sources swapped
	}
	arm64Pairwise = map[operation]encoding{add: {"FADDP", 0x6e20d400}, larger: {"FMAXP", 0x6e20f400}}
)

// squareRoot has one source; its M field is 1.
const squareRoot = 0x6ea1f800

func (w *arm64) op(op operation, d, a, b int) {
	if op == below || op == without {
		a, b = b, a
	}
	for i := range 2 {
		arm64Operations[op].write(w, 2*d+i, 2*a+i, 2*b+i)
	}
}

func (w *arm64) root(d, a int) {
	for i := range 2 {
		w.line("WORD $%#08x // FSQRT V%d.4S, V%d.4S", squareRoot|uint32((2*a+i)<<5|2*d+i), 2*d+i, 2*a+i)
	}
}

func (w *arm64) loop(n, blocks int, body func()) {
	again, done := w.label(), w.label()
	if blocks > 0 {
		w.line("LSR $%d, R%d, R%d", log2(width*blocks), n, n)
	}
	w.line("CBZ R%d, %s", n, done)
	w.here(again)
	body()
	w.line("SUB $1, R%d, R%d", n, n)
	w.line("CBNZ R%d, %s", n, again)
	w.here(done)
}

func (w *arm64) move(blocks int, pointers ...int) {
	for _, p := range pointers {
		w.line("ADD $%d, R%d, R%d", 4*width*blocks, p, p)
	}
}

func (w *arm64) moveBy(p, q int) { w.line("ADD R%d, R%d, R%d", q, p, p) }

func (w *arm64) fold(op operation, d, _ int) {
	arm64Operations[op].write(w, 2*d, 2*d, 2*d+1)
	arm64Pairwise[op].write(w, 2*d, 2*d, 2*d)
	arm64Pairwise[op].write(w, 2*d, 2*d, 2*d)
}

func (w *arm64) end() { w.line("RET") }
