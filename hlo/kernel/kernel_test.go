package kernel

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The same kernel, o[...] = x[...] + y[...], from two files, and one that multiplies; made by jax.experimental.pallas,
// jaxlib 0.10.2.
const add = `TUzvUgFNTElSMjMuMC4wZ2l0AAEhCQEDBQcBAwkDDQsNDxETFQOZdREBbwcTCwsPDw8PDwsLDw8TCw87CwsLC4ULCwsLCw8PDxsPDw8
bEwsPCw
8LDxsLDwsPGyMLDwtTCxMFBWFNBwNZAREHIxsPBw8bCwLuBB8DAzU3BRcFGR1XWR0TOR0FPR0TPxEHAQUbBR0dBVUdBV8DAx0fBR8RBz0DDSMl
JyktES8RMQUzcQUhAQEFIw0NYWZmaW5lX21hcDwoZDAsIGQxKSAtPiAoZDAsIGQxKT4ABSUFJwUpBSsFLREBAR0VOxUNDS0HBw0jNx0VQRUNQx
0FRS0HBw09UQMDSXMFLx1NTwUxHVFTBTMVFxctBwcNI1EFNR1bXQU3FRkZLQcHDQkdAwdjZWdpa20FOREPAAU7IwsJIQEAAAABAAAAAgAAAAAA
AAAFPSMLAQEjdHB1Lm1lbW9yeV9zcGFjZTx2bWVtPgAjdHB1LmNvcmVfdHlwZTx0Yz4AI2FyaXRoLmZhc3RtYXRoPG5vbmU+AAMXbwUhAgQJKy
cFIQIECQECBAsBAgIFBwMDAwEBCQTZBQERARsHAwEFBxEBIQcDGzMHAwEDAQMBAwMLAwMBAwMLAwMBBQYLAwUHAQcJAwMPAwMBAwMPAwMBBQYP
AwUHAw0PCQdLRwMFBQsRAwMJAwMBAwMJAwMBBQYJAwUHBRUXCwUJYQkTBRUXDQABBgMBBQEAtgU/ESkJFQ0RCxMNHRMjIR0pLRELEw8ZIxcVGR
8PDQkdEWJ1aWx0aW4Ac3RhYmxlX21vc2FpYwB0cHUAYXJpdGgAbW9kdWxlAGFyaXRoLmNvbnN0YW50AHZlY3Rvci5sb2FkAGZ1bmMuZnVuYwBh
cml0aC5hZGRmAHRwdS52ZWN0b3Jfc3RvcmUAZnVuYy5yZXR1cm4Aa2VybmVsAG1vZGVsLnB5AGdldDoAZ2V0L2dldABzdGFibGVfbW9zYWljLn
ZlcnNpb24AZGltZW5zaW9uX3NlbWFudGljcwBmdW5jdGlvbl90eXBlAHNjYWxhcl9wcmVmZXRjaABzY3JhdGNoX29wZXJhbmRzAHN5bV9uYW1l
AHRwdS5jb3JlX3R5cGUAdmFsdWUAZmFzdG1hdGgAYWRkOgBhZGQvYWRkAHN3YXA6AHN3YXAvc3dhcABhZGQAb3BlcmFuZFNlZ21lbnRTaXplcw
BzdHJpZGVzAA==`

const moved = `TUzvUgFNTElSMjMuMC4wZ2l0AAEhCQEDBQcBAwkDDQsNDxETFQOZdREBbwcTCwsPDw8PDwsLDw8TCw87CwsLC4ULCwsLCw8PDxsPD
w8bEwsPCw
8LDxsLDwsPGyMLDwtTCxMFBWFNBwNZAREHIxsPBw8bCwLuBB8DAzU3BRcFGR1XWR0TOR0FPR0TPxEHAQUbBR0dBVUdBV8DAx0fBR8RBz0DDSMl
JyktES8RMQUzcQUhAQEFIw0NYWZmaW5lX21hcDwoZDAsIGQxKSAtPiAoZDAsIGQxKT4ABSUFJwUpBSsFLREBAR0VOxUNDS0HB1cjNx0VQRUNQx
0FRS0HB1c9UQMDSXMFLx1NTwUxHVFTBTMVFxctBwdXI1EFNR1bXQU3FRkZLQcHVwkdAwdjZWdpa20FOREPAAU7IwsJIQEAAAABAAAAAgAAAAAA
AAAFPSMLAQEjdHB1Lm1lbW9yeV9zcGFjZTx2bWVtPgAjdHB1LmNvcmVfdHlwZTx0Yz4AI2FyaXRoLmZhc3RtYXRoPG5vbmU+AAMXbwUhAgQJKy
cFIQIECQECBAsBAgIFBwMDAwEBCQTZBQERARsHAwEFBxEBIQcDGzMHAwEDAQMBAwMLAwMBAwMLAwMBBQYLAwUHAQcJAwMPAwMBAwMPAwMBBQYP
AwUHAw0PCQdLRwMFBQsRAwMJAwMBAwMJAwMBBQYJAwUHBRUXCwUJYQkTBRUXDQABBgMBBQEA3gU/ESkJFQ0RCxMNHRMjIR0pLRELJw8ZIxcVGR
8PDQkdEWJ1aWx0aW4Ac3RhYmxlX21vc2FpYwB0cHUAYXJpdGgAbW9kdWxlAGFyaXRoLmNvbnN0YW50AHZlY3Rvci5sb2FkAGZ1bmMuZnVuYwBh
cml0aC5hZGRmAHRwdS52ZWN0b3Jfc3RvcmUAZnVuYy5yZXR1cm4Aa2VybmVsAGF0dGVudGlvbi9mbGFzaC5weQBnZXQ6AGdldC9nZXQAc3RhYm
xlX21vc2FpYy52ZXJzaW9uAGRpbWVuc2lvbl9zZW1hbnRpY3MAZnVuY3Rpb25fdHlwZQBzY2FsYXJfcHJlZmV0Y2gAc2NyYXRjaF9vcGVyYW5k
cwBzeW1fbmFtZQB0cHUuY29yZV90eXBlAHZhbHVlAGZhc3RtYXRoAGFkZDoAYWRkL2FkZABzd2FwOgBzd2FwL3N3YXAAYWRkAG9wZXJhbmRTZW
dtZW50U2l6ZXMAc3RyaWRlcwA=`

const multiply = `TUzvUgFNTElSMjMuMC4wZ2l0AAEhCQEDBQcBAwkDDQsNDxETFQOZdREBbwcTCwsPDw8PDwsLDw8TCw87CwsLC4ULCwsLCw8PDx
sPDw8bEwsPCw
8LDxsLDwsPGyMLDwtTCxMFBWFNBwNZAREHIxsPBw8bCwLuBB8DAzU3BRcFGR1XWR0TOR0FPR0TPxEHAQUbBR0dBVUdBV8DAx0fBR8RBz0DDSMl
JyktES8RMQUzcQUhAQEFIw0NYWZmaW5lX21hcDwoZDAsIGQxKSAtPiAoZDAsIGQxKT4ABSUFJwUpBSsFLREBAR0VOxUNDS0HBw0jNx0VQRUNQx
0FRS0HBw09UQMDSXMFLx1NTwUxHVFTBTMVFxctBwcNI1EFNR1bXQU3FRkZLQcHDQkdAwdjZWdpa20FOREPAAU7IwsJIQEAAAABAAAAAgAAAAAA
AAAFPSMLAQEjdHB1Lm1lbW9yeV9zcGFjZTx2bWVtPgAjdHB1LmNvcmVfdHlwZTx0Yz4AI2FyaXRoLmZhc3RtYXRoPG5vbmU+AAMXbwUhAgQJKy
cFIQIECQECBAsBAgIFBwMDAwEBCQTZBQERARsHAwEFBxEBIQcDGzMHAwEDAQMBAwMLAwMBAwMLAwMBBQYLAwUHAQcJAwMPAwMBAwMPAwMBBQYP
AwUHAw0PCQdLRwMFBQsRAwMJAwMBAwMJAwMBBQYJAwUHBRUXCwUJYQkTBRUXDQABBgMBBQEAtgU/ESkJFQ0RCxMNHRMjIR0pLRELEw8ZIxcVGR
8PDQkdEWJ1aWx0aW4Ac3RhYmxlX21vc2FpYwB0cHUAYXJpdGgAbW9kdWxlAGFyaXRoLmNvbnN0YW50AHZlY3Rvci5sb2FkAGZ1bmMuZnVuYwBh
cml0aC5tdWxmAHRwdS52ZWN0b3Jfc3RvcmUAZnVuYy5yZXR1cm4Aa2VybmVsAG1vZGVsLnB5AGdldDoAZ2V0L2dldABzdGFibGVfbW9zYWljLn
ZlcnNpb24AZGltZW5zaW9uX3NlbWFudGljcwBmdW5jdGlvbl90eXBlAHNjYWxhcl9wcmVmZXRjaABzY3JhdGNoX29wZXJhbmRzAHN5bV9uYW1l
AHRwdS5jb3JlX3R5cGUAdmFsdWUAZmFzdG1hdGgAbXVsOgBtdWwvbXVsAHN3YXA6AHN3YXAvc3dhcABhZGQAb3BlcmFuZFNlZ21lbnRTaXplcw
BzdHJpZGVzAA==`

func decode(t *testing.T, text string) []byte {
	data, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "\n", ""))
	require.NoError(t, err)
	return data
}

func read(t *testing.T, text string) string {
	lines, err := Read(decode(t, text))
	require.NoError(t, err)
	return strings.Join(lines, "\n")
}

// Where a kernel's source is makes no difference, what it computes does.
func TestRead(t *testing.T) {
	require.NotEqual(t, add, moved)
	assert.Equal(t, read(t, add), read(t, moved))
	assert.NotContains(t, read(t, add), ".py")
	assert.Contains(t, read(t, add), "stable_mosaic.arith.addf(5, 8)")
	assert.Equal(t, strings.ReplaceAll(read(t, add), "arith.addf", "arith.mulf"), read(t, multiply))
}

// Bytes that are not a module, or not all of one, are an error and nothing worse.
func TestReadDamaged(t *testing.T) {
	whole := decode(t, add)
	for n := range whole {
		_, err := Read(whole[:n])
		require.ErrorIs(t, err, ErrUnknown, n)
	}
	for i := range whole {
		for _, b := range []byte{0, 1, 0x7f, 0xff} {
			damaged := append([]byte{}, whole...)
			damaged[i] = b
			Read(damaged)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{add, multiply} {
		data, _ := base64.StdEncoding.DecodeString(strings.ReplaceAll(text, "\n", ""))
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { Read(data) })
}
