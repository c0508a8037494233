package flat

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

func TestTwoNodesFitIntoACacheLine(t *testing.T) {
	assert.EqualValues(t, 32, unsafe.Sizeof(node{}))
}
