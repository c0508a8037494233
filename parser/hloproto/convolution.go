package hloproto

import (
	"slices"
	"strings"

	"hlolayout/parser/hloproto/internal/hlopb"
)

// window prints the sizes, and of the rest what is not the default in some dimension.
func (w *writer) window(in *instruction) bool {
	dims := in.Window.GetDimensions()
	part := func(key string, none int64, get func(d *hlopb.WindowDimension) int64) {
		if key != "size" && !slices.ContainsFunc(dims, func(d *hlopb.WindowDimension) bool { return get(d) != none }) {
			return
		}
		if key != "size" {
			w.text(" ")
		}
		w.text(key + "=")
		w.list(len(dims), "x", func(i int) { w.int(get(dims[i])) })
	}
	w.text("{")
	if len(dims) > 0 {
		part("size", 0, func(d *hlopb.WindowDimension) int64 { return d.Size })
	}
	part("stride", 1, func(d *hlopb.WindowDimension) int64 { return d.Stride })
	if slices.ContainsFunc(dims, func(d *hlopb.WindowDimension) bool {
		return d.PaddingLow != 0 || d.PaddingHigh != 0
	}) {
		w.text(" pad=")
		w.list(len(dims), "x", func(i int) {
			w.int(dims[i].PaddingLow)
			w.text("_")
			w.int(dims[i].PaddingHigh)
		})
	}
	part("lhs_dilate", 1, func(d *hlopb.WindowDimension) int64 { return d.BaseDilation })
	part("rhs_dilate", 1, func(d *hlopb.WindowDimension) int64 { return d.WindowDilation })
	part("rhs_reversal", 0, func(d *hlopb.WindowDimension) int64 {
		if d.WindowReversal {
			return 1
		}
		return 0
	})
	w.text("}")
	return len(dims) > 0 || in.Window != nil && in.Opcode == "custom-call"
}

// maxLabels is the greatest dimension that dim_labels can name.
const maxLabels = 1000

// dimLabels prints what each dimension of input, kernel and output is: b01f_01io->b01f.
func (w *writer) dimLabels(in *instruction) bool {
	n := in.ConvolutionDimensionNumbers
	if n == nil {
		if in.Opcode == "convolution" {
			failf(in.path()+".convolution_dimension_numbers", "a convolution needs them")
		}
		return false
	}
	labels := func(first, second string, one, two int64, spatial []int64) {
		var text []byte
		put := func(at int64, label string) {
			if at < 0 || at > maxLabels {
				failf(in.path()+".convolution_dimension_numbers", "%d is not a dimension", at)
			}
			for int64(len(text)) <= at {
				text = append(text, '?')
			}
			text[at] = label[0]
		}
		put(one, first)
		put(two, second)
		for i, d := range spatial {
			if i > 9 {
				failf(in.path()+".convolution_dimension_numbers", "%d spatial dimensions have no labels", len(spatial))
			}
			put(d, string(rune('0'+i)))
		}
		w.out = append(w.out, text...)
	}
	labels("b", "f", n.InputBatchDimension, n.InputFeatureDimension, n.InputSpatialDimensions)
	w.text("_")
	labels("i", "o", n.KernelInputFeatureDimension, n.KernelOutputFeatureDimension, n.KernelSpatialDimensions)
	w.text("->")
	labels("b", "f", n.OutputBatchDimension, n.OutputFeatureDimension, n.OutputSpatialDimensions)
	return true
}

func (w *writer) convolutionKind(in *instruction) bool {
	w.text(strings.ToLower(strings.TrimPrefix(in.ConvKind.String(), "CONVOLUTION_KIND_")))
	return in.ConvKind != hlopb.ConvolutionKind_CONVOLUTION_KIND_UNSET
}

// operandPrecision prints the precisions, one for each operand, where one is not the default.
func (w *writer) operandPrecision(in *instruction) bool {
	ps := make([]hlopb.PrecisionConfig_Precision, len(in.operands))
	copy(ps, in.PrecisionConfig.GetOperandPrecision())
	w.text("{")
	w.list(len(ps), ",", func(i int) { w.text(strings.ToLower(ps[i].String())) })
	w.text("}")
	return slices.ContainsFunc(ps, func(p hlopb.PrecisionConfig_Precision) bool {
		return p != hlopb.PrecisionConfig_DEFAULT
	})
}

// algorithm is that of a dot, or of a random generator.
func (w *writer) algorithm(in *instruction) bool {
	if in.Opcode == "rng-bit-generator" {
		w.text(strings.ToLower(in.RngAlgorithm.String()))
		return true
	}
	a := in.PrecisionConfig.GetAlgorithm()
	w.text(strings.ToLower(strings.TrimPrefix(a.String(), "ALG_")))
	return a != hlopb.PrecisionConfig_ALG_UNSET
}

func (w *writer) sparsityConfig(in *instruction) bool {
	w.text("{")
	sep := ""
	for _, side := range [...]struct {
		key    string
		config *hlopb.SparsityConfig_TensorSparsityConfig
	}{{"lhs", in.SparsityConfig.GetLhs()}, {"rhs", in.SparsityConfig.GetRhs()}} {
		c := side.config
		if c == nil {
			continue
		}
		w.text(sep + side.key + "={sparsity=")
		sep = " "
		w.int(c.NumNonZero)
		w.text("x")
		w.int(c.BlockSize)
		w.text(" dimension=")
		w.int(c.Dimension)
		w.text(" stride=")
		w.int(c.Stride)
		if c.Idx != 0 {
			w.text(" idx=")
			w.int(int64(c.Idx))
		}
		w.text("}")
	}
	w.text("}")
	return sep != ""
}
