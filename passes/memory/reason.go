package memory

// Reason says why a value is not in the fast space, or not all of the time.
type Reason uint8

// The reasons for which a value is not in the fast space, and those that concern values which are never considered.
const (
	ReasonNone Reason = iota
	ReasonNoArray
	ReasonScalar
	ReasonGiven
	ReasonOpcode
	ReasonConstant
	ReasonInput
	ReasonResult
	ReasonUnused
	ReasonTooLarge
	ReasonNoRoom
	ReasonTooLong
	ReasonNoTime
	ReasonBandwidth
	ReasonOutstanding
	ReasonEvict
	ReasonTraffic
	ReasonProducer
	ReasonLoop
	ReasonDefault
)

var reasonText = [...]string{
	ReasonNone:        "",
	ReasonNoArray:     "it is not an array",
	ReasonScalar:      "it has at most one element",
	ReasonGiven:       "the module gives its memory space",
	ReasonOpcode:      "an instruction that makes or reads it works in HBM only",
	ReasonConstant:    "it is a constant",
	ReasonInput:       "it is a parameter of the program",
	ReasonResult:      "it is a result of the program",
	ReasonUnused:      "only tuples read it",
	ReasonTooLarge:    "it is larger than the fast space",
	ReasonNoRoom:      "there is no room in the fast space",
	ReasonTooLong:     "too much time passes between two of its uses",
	ReasonNoTime:      "there is no time to prefetch it",
	ReasonBandwidth:   "other copies take the bandwidth that its copy needs",
	ReasonOutstanding: "too many copies are under way",
	ReasonEvict:       "it cannot be evicted in time",
	ReasonTraffic:     "copying it would move more bytes than it saves",
	ReasonProducer:    "the instruction that makes it never writes to the fast space",
	ReasonLoop:        "a loop, branch or call around it keeps it in HBM",
	ReasonDefault:     "something that shares its memory is in HBM",
}

// String returns the reason in words, such as "there is no room in the fast space".
func (r Reason) String() string {
	if int(r) < len(reasonText) {
		return reasonText[r]
	}
	return "unknown reason"
}
