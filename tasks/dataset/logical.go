package dataset

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// notANumber is the type of NaN.
const notANumber = "NaN"

func (n *node) unread(what string) func(parquet.Value) any {
	return func(v parquet.Value) any {
		if v.IsNull() {
			return nil
		}
		return Unread{n.path, what}
	}
}

// reader returns the function that reads the values of a leaf, by its logical type; files of
// older writers have a converted type in its place.
func (n *node) reader(e *format.SchemaElement) func(parquet.Value) any {
	logical := e.LogicalType.Value
	if logical == nil && e.ConvertedType.Valid {
		logical = modern(e)
		if logical == nil {
			return n.unread(fmt.Sprintf("the converted type %d of %s", e.ConvertedType.V, n.kind))
		}
	}
	whole := n.kind == parquet.Int32 || n.kind == parquet.Int64
	fixed := n.kind == parquet.FixedLenByteArray
	switch t := logical.(type) {
	case nil:
		return n.plain()
	case *format.StringType, *format.EnumType, *format.JsonType:
		if n.kind == parquet.ByteArray {
			return n.plain()
		}
	case *format.IntType:
		if whole && t.IsSigned {
			return n.plain()
		}
		if whole {
			return unsigned
		}
	case *format.DateType:
		if n.kind == parquet.Int32 {
			return date
		}
	case *format.DecimalType:
		if (whole || fixed || n.kind == parquet.ByteArray) && t.Scale >= 0 && t.Scale <= mostScale {
			return func(v parquet.Value) any { return decimal(v, int(t.Scale)) }
		}
	case *format.Float16Type:
		if fixed && e.TypeLength.V == 2 {
			return func(v parquet.Value) any { return n.float(float16(binary.LittleEndian.Uint16(v.ByteArray())), 64) }
		}
	case *format.UUIDType:
		if fixed && e.TypeLength.V == 16 {
			return func(v parquet.Value) any {
				b := v.ByteArray()
				return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
			}
		}
	case *format.NullType:
		return func(parquet.Value) any { return nil }
	}
	return n.unread(logical.String())
}

// mostScale limits the digits behind the point of a decimal.
const mostScale = 1000

// modern returns the logical type of a converted one; nil: it has none that is read.
func modern(e *format.SchemaElement) format.LogicalTypeValue {
	switch t := e.ConvertedType.V; t {
	case deprecated.UTF8, deprecated.Enum, deprecated.Json:
		return &format.StringType{}
	case deprecated.Date:
		return &format.DateType{}
	case deprecated.Decimal:
		return &format.DecimalType{Scale: e.Scale.V, Precision: e.Precision.V}
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		return &format.IntType{BitWidth: 64}
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		return &format.IntType{BitWidth: 64, IsSigned: true}
	case deprecated.TimeMillis, deprecated.TimeMicros:
		return &format.TimeType{}
	case deprecated.TimestampMillis, deprecated.TimestampMicros:
		return &format.TimestampType{}
	case deprecated.Bson:
		return &format.BsonType{}
	}
	return nil
}

// plain returns the function that reads values without a logical type.
func (n *node) plain() func(parquet.Value) any {
	switch n.kind {
	case parquet.Boolean:
		return func(v parquet.Value) any { return v.Boolean() }
	case parquet.Int32:
		return func(v parquet.Value) any { return json.Number(strconv.Itoa(int(v.Int32()))) }
	case parquet.Int64:
		return func(v parquet.Value) any { return json.Number(strconv.FormatInt(v.Int64(), 10)) }
	case parquet.Float:
		return func(v parquet.Value) any { return n.float(float64(v.Float()), 32) }
	case parquet.Double:
		return func(v parquet.Value) any { return n.float(v.Double(), 64) }
	case parquet.ByteArray:
		return func(v parquet.Value) any {
			if text := string(v.ByteArray()); utf8.ValidString(text) {
				return text
			}
			return Unread{n.path, "a text that is not UTF-8"}
		}
	}
	return n.unread(n.kind.String() + " without a logical type")
}

// float returns a finite number.
func (n *node) float(x float64, bits int) any {
	switch {
	case x != x:
		return Unread{n.path, notANumber}
	case math.IsInf(x, 0):
		return Unread{n.path, "inf"}
	case bits == 32:
		return float32(x)
	}
	return x
}

func unsigned(v parquet.Value) any {
	if v.Kind() == parquet.Int32 {
		return json.Number(strconv.FormatUint(uint64(uint32(v.Int32())), 10))
	}
	return json.Number(strconv.FormatUint(uint64(v.Int64()), 10))
}

func date(v parquet.Value) any {
	return time.Unix(int64(v.Int32())*24*60*60, 0).UTC().Format(time.DateOnly)
}

// decimal returns all digits of a number that is kept as one without a point.
func decimal(v parquet.Value, scale int) json.Number {
	x := new(big.Int)
	switch v.Kind() {
	case parquet.Int32:
		x.SetInt64(int64(v.Int32()))
	case parquet.Int64:
		x.SetInt64(v.Int64())
	default: // two's complement, the highest byte first
		b := v.ByteArray()
		x.SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 {
			x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
	}
	sign, digits := "", new(big.Int).Abs(x).String()
	if x.Sign() < 0 {
		sign = "-"
	}
	if scale == 0 {
		return json.Number(sign + digits)
	}
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	return json.Number(sign + digits[:len(digits)-scale] + "." + digits[len(digits)-scale:])
}

// float16 returns the value of a half-precision number.
func float16(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	x := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		x = math.Inf(1)
	case exponent == 31:
		x = math.NaN()
	}
	return math.Copysign(x, 1-2*float64(bits>>15))
}

// onlyArrow names the types of Arrow, by number, that Parquet keeps as plain numbers.
var onlyArrow = map[byte]string{11: "an interval of Arrow", 18: "a duration of Arrow"}

// arrowTypes returns the types of the columns in the schema that Arrow's writers add to a file:
// a message of Arrow's IPC format in base64. Nil: there is none.
func arrowTypes(schema string) (types []byte) {
	defer func() {
		if recover() != nil { // it is damaged: it adds nothing to the file's own schema
			types = nil
		}
	}()
	message, err := base64.StdEncoding.DecodeString(schema)
	if err != nil || len(message) == 0 {
		return nil
	}
	at := func(pos uint32) uint32 { return binary.LittleEndian.Uint32(message[pos:]) }
	field := func(table uint32, number uint16) uint32 { // the place of a field of a table; 0: it is not there
		directory := table - at(table)
		if slot := 4 + 2*number; slot < binary.LittleEndian.Uint16(message[directory:]) {
			if offset := binary.LittleEndian.Uint16(message[directory+uint32(slot):]); offset > 0 {
				return table + uint32(offset)
			}
		}
		return 0
	}
	left := len(message) // of the steps: a damaged one may have none to end
	var walk func(list uint32)
	walk = func(list uint32) {
		list += at(list)
		for i := range at(list) {
			if left--; left < 0 {
				return
			}
			column := list + 4 + 4*i
			column += at(column)
			if children := field(column, 5); children > 0 && at(children+at(children)) > 0 {
				walk(children)
			} else if kind := field(column, 2); kind > 0 {
				types = append(types, message[kind])
			}
		}
	}
	root := uint32(4) // older writers begin with the length alone
	if at(0) == math.MaxUint32 {
		root = 8
	}
	root += at(root)
	header := field(root, 2)
	walk(field(header+at(header), 1))
	return types
}
