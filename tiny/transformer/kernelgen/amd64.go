package main

import (
	"fmt"
	"strings"
)

// amd64File returns the file for amd64.
func amd64File() string {
	w := &amd64{}
	w.WriteString(header)
	w.WriteString("#include \"go_asm.h\"\n")
	vectors(w, "AVX2")
	for _, t := range []tiling{avx2, avx512} {
		t.mul(w)
		t.multiplyAdds(w)
	}
	bf16.mul(w)
	bf16.roundPairs(w)
	w.powersWide()
	w.softenWide()
	avx2.score(w)
	avx2.mix(w)
	return w.String()
}

// amd64 is a machine with AVX2 and FMA: a block is a Y register.
type amd64 struct {
	strings.Builder
	name   string // of the function
	labels int
}

// amd64Pointers lists the registers for pointers. R14 is Go's; shared objects need R15.
var amd64Pointers = [...]string{"SI", "DI", "AX", "BX", "CX", "DX", "R8", "R9", "R10", "R11"}

// line writes an instruction.
func (w *amd64) line(format string, args ...any) { fmt.Fprintf(w, "\t"+format+"\n", args...) }

// here writes a label.
func (w *amd64) here(label string) { fmt.Fprintf(w, "%s:\n", label) }

// label returns a new label.
func (w *amd64) label() string {
	w.labels++
	return fmt.Sprintf("l%d", w.labels)
}

func (w *amd64) begin(name string, size int, constants ...uint32) {
	w.name, w.labels = name, 0
	w.WriteString("\n")
	for i, c := range constants {
		fmt.Fprintf(w, "DATA %s_constants<>+%d(SB)/4, $%#08x\n", name, 4*i, c)
	}
	if len(constants) > 0 {
		fmt.Fprintf(w, "GLOBL %s_constants<>(SB), RODATA|NOPTR, $%d\n\n", name, 4*len(constants))
	}
	fmt.Fprintf(w, "TEXT ·%s(SB), NOSPLIT, $0-%d\n", name, size)
}

func (w *amd64) pointer(p int, arg string) { w.line("MOVQ %s(FP), %s", arg, amd64Pointers[p]) }
func (w *amd64) spread(d int, arg string)  { w.line("VBROADCASTSS %s(FP), Y%d", arg, d) }

func (w *amd64) spreadField(d, p int, field string) {
	w.line("VBROADCASTSS %s(%s), Y%d", field, amd64Pointers[p], d)
}

func (w *amd64) constant(d, i int) {
	w.line("VBROADCASTSS %s_constants<>+%d(SB), Y%d", w.name, 4*i, d)
}

func (w *amd64) load(d, p, offset int) {
	w.line("VMOVUPS %d(%s), Y%d", 4*width*offset, amd64Pointers[p], d)
}

func (w *amd64) store(d, p, offset int) {
	w.line("VMOVUPS Y%d, %d(%s)", d, 4*width*offset, amd64Pointers[p])
}

func (w *amd64) copy(d, a int)            { w.line("VMOVAPS Y%d, Y%d", a, d) }
func (w *amd64) fuse(d, a, b int)         { w.line("VFMADD231PS Y%d, Y%d, Y%d", b, a, d) }
func (w *amd64) root(d, a int)            { w.line("VSQRTPS Y%d, Y%d", a, d) }
func (w *amd64) shift(d, bits int)        { w.line("VPSLLD $%d, Y%d, Y%d", bits, d, d) }
func (w *amd64) result(d int, arg string) { w.line("VMOVSS X%d, %s(FP)", d, arg) }

// amd64Operations lists the instructions of the operations. The second source is the
// first operand; VMAXPS returns it if either is NaN.
var amd64Operations = map[operation]string{
	add: "VADDPS", subtract: "VSUBPS", times: "VMULPS", divide: "VDIVPS", larger: "VMAXPS",
	below: "VCMPPS $17,", without: "VANDNPS", addWhole: "VPADDD",
}

func (w *amd64) op(op operation, d, a, b int) {
	w.line("%s Y%d, Y%d, Y%d", amd64Operations[op], b, a, d)
}

func (w *amd64) loop(n, blocks int, body func()) {
	again, done := w.label(), w.label()
	if blocks > 0 {
		w.line("SHRQ $%d, %s", log2(width*blocks), amd64Pointers[n])
	}
	w.line("TESTQ %s, %s", amd64Pointers[n], amd64Pointers[n])
	w.line("JZ %s", done)
	w.here(again)
	body()
	w.line("DECQ %s", amd64Pointers[n])
	w.line("JNZ %s", again)
	w.here(done)
}

func (w *amd64) move(blocks int, pointers ...int) {
	for _, p := range pointers {
		w.line("ADDQ $%d, %s", 4*width*blocks, amd64Pointers[p])
	}
}

func (w *amd64) moveBy(p, q int) { w.line("ADDQ %s, %s", amd64Pointers[q], amd64Pointers[p]) }

func (w *amd64) fold(op operation, d, t int) {
	w.line("VEXTRACTF128 $1, Y%d, X%d", d, t)
	w.line("%s X%d, X%d, X%d", amd64Operations[op], t, d, d)
	for _, order := range []int{0xb1, 0x4e} { // exchange neighbours, then pairs
		w.line("VPERMILPS $%#x, X%d, X%d", order, d, t)
		w.line("%s X%d, X%d, X%d", amd64Operations[op], t, d, d)
	}
}

// end clears the upper halves of the registers; otherwise they would slow down other
// code.
func (w *amd64) end() {
	w.line("VZEROUPPER")
	w.line("RET")
}

// log2 returns the binary logarithm of a power of two.
func log2(n int) (bits int) {
	for ; n > 1; n /= 2 {
		bits++
	}
	return bits
}
