package report

// Origin says what an answer is about: how far the module has come in its compilation, the generation that it is judged
// for, and where that was said.
type Origin struct {
	// Stage is the name of a stage.Stage.
	Stage string `json:"stage,omitempty"`
	// TPU is the generation, such as "v5e", TPUSource what named it: a flag, a file of the dump folder, or the default.
	TPU       string `json:"tpu,omitempty"`
	TPUSource string `json:"tpu_source,omitempty"`
	// LibTPU is the version of the compiler whose rules hold, where the dump or a flag names one.
	LibTPU string `json:"libtpu,omitempty"`
}
