package verify

// The codes of the findings. VER1xx: an operation and its operands; VER2xx: called computations; VER3xx: layouts;
// VER4xx: the module; VER5xx: operations in two halves; VER6xx: collectives.
const (
	VER101 = "VER101"
	VER102 = "VER102"
	VER103 = "VER103"
	VER104 = "VER104"
	VER105 = "VER105"
	VER106 = "VER106"
	VER107 = "VER107"
	VER108 = "VER108"
	VER109 = "VER109"
	VER110 = "VER110"
	VER111 = "VER111"
	VER112 = "VER112"
	VER113 = "VER113"
	VER201 = "VER201"
	VER202 = "VER202"
	VER203 = "VER203"
	VER204 = "VER204"
	VER205 = "VER205"
	VER206 = "VER206"
	VER207 = "VER207"
	VER208 = "VER208"
	VER301 = "VER301"
	VER302 = "VER302"
	VER303 = "VER303"
	VER401 = "VER401"
	VER402 = "VER402"
	VER404 = "VER404"
	VER405 = "VER405"
	VER406 = "VER406"
	VER407 = "VER407"
	VER408 = "VER408"
	VER409 = "VER409"
	VER501 = "VER501"
	VER502 = "VER502"
	VER503 = "VER503"
	VER504 = "VER504"
	VER601 = "VER601"
	VER602 = "VER602"
	VER603 = "VER603"
	VER604 = "VER604"
	VER605 = "VER605"
	VER606 = "VER606"
)

// Code is one kind of finding.
type Code struct {
	Name    string
	Meaning string
	// Example is a module that causes it.
	Example string
}
