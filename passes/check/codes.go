package check

import "hlolayout/hlo"

// Codes says what each code of a finding means, with a module that causes it on v5e (none where no text can: parsing
// refuses it).
var Codes = []hlo.Code{
	{Name: "LAY101", Meaning: "an array has no layout", Example: `HloModule m

ENTRY %e {
  ROOT %p = f32[16,256] parameter(0)
}
`},
	{Name: "LAY102", Meaning: "minor_to_major is not a permutation of the dimensions"},
	{Name: "LAY103", Meaning: "the tiles or the element size are not those that the target gives to the shape",
		Example: `HloModule m

ENTRY %e {
  ROOT %p = f32[16,256]{1,0:T(4,128)} parameter(0)
}
`},
	{Name: "LAY104", Meaning: "the target has no such memory space, or places no arrays there", Example: `HloModule m

ENTRY %e {
  %p = f32[16,256]{1,0:T(8,128)} parameter(0)
  ROOT %n = f32[16,256]{1,0:T(8,128)S(3)} negate(%p)
}
`},
	{Name: "LAY110", Meaning: "operands and result of an operation that keeps layouts differ in order",
		Example: `HloModule m

ENTRY %e {
  %p = f32[16,256]{1,0:T(8,128)} parameter(0)
  ROOT %n = f32[16,256]{0,1:T(8,128)} negate(%p)
}
`},
	{Name: "LAY111", Meaning: "the operand of a broadcast does not have the order of the result restricted to its " +
		"dimensions", Example: `HloModule m

ENTRY %e {
  %p = f32[16,256]{1,0:T(8,128)} parameter(0)
  ROOT %b = f32[16,256,8]{0,1,2:T(8,128)} broadcast(%p), dimensions={0,1}
}
`},
	{Name: "LAY112", Meaning: "a transpose moves data: its orders are not each other's permutation",
		Example: `HloModule m

ENTRY %e {
  %p = f32[16,256]{1,0:T(8,128)} parameter(0)
  ROOT %t = f32[256,16]{1,0:T(8,128)} transpose(%p), dimensions={1,0}
}
`},
	{Name: "LAY113", Meaning: "a reshape moves data: its orders are not aligned", Example: `HloModule m

ENTRY %e {
  %p = f32[16,256]{1,0:T(8,128)} parameter(0)
  ROOT %r = f32[16,2,128]{2,0,1:T(8,128)} reshape(%p)
}
`},
	{Name: "LAY114", Meaning: "the result of a reduce does not have the order of its operand without the reduced " +
		"dimensions", Example: `HloModule m

%add {
  %a = f32[]{:T(128)} parameter(0)
  %b = f32[]{:T(128)} parameter(1)
  ROOT %s = f32[]{:T(128)} add(%a, %b)
}

ENTRY %e {
  %p = f32[4,16,256]{2,1,0:T(8,128)} parameter(0)
  %z = f32[]{:T(128)} constant(0)
  ROOT %r = f32[16,256]{0,1:T(8,128)} reduce(%p, %z), dimensions={0}, to_apply=%add
}
`},
	{Name: "LAY120", Meaning: "an element of a tuple changes its layout on the way", Example: `HloModule m

ENTRY %e {
  %p = f32[16,256]{1,0:T(8,128)} parameter(0)
  ROOT %t = (f32[16,256]{0,1:T(8,128)}) tuple(%p)
}
`},
	{Name: "LAY121", Meaning: "initial value, parameters, root and result of a loop differ", Example: `HloModule m

%c {
  %a = (f32[16,256]{1,0:T(8,128)}) parameter(0)
  ROOT %t = pred[]{:T(512)} constant(false)
}

%b {
  ROOT %b.1 = (f32[16,256]{0,1:T(8,128)}) parameter(0)
}

ENTRY %e {
  %p = (f32[16,256]{1,0:T(8,128)}) parameter(0)
  ROOT %w = (f32[16,256]{1,0:T(8,128)}) while(%p), condition=%c, body=%b
}
`},
	{Name: "LAY122", Meaning: "operands, parameters, roots and results of calls, branches, fusions or async-starts differ",
		Example: `HloModule m

%f {
  %a = f32[16,256]{0,1:T(8,128)} parameter(0)
  ROOT %n = f32[16,256]{0,1:T(8,128)} negate(%a)
}

ENTRY %e {
  %p = f32[16,256]{1,0:T(8,128)} parameter(0)
  ROOT %c = f32[16,256]{1,0:T(8,128)} call(%p), to_apply=%f
}
`},
	{Name: "LAY123", Meaning: "a custom call does not get the layouts that it requires", Example: `HloModule m

ENTRY %e {
  %p = f32[16,256]{1,0:T(8,128)} parameter(0)
  ROOT %c = f32[16,256]{1,0:T(8,128)} custom-call(%p), custom_call_target="x",
      operand_layout_constraints={f32[16,256]{0,1}}
}
`},
	{Name: "LAY124", Meaning: "the entry computation does not have the orders of entry_computation_layout",
		Example: `HloModule m, entry_computation_layout={(f32[16,256]{0,1:T(8,128)})->f32[16,256]{1,0:T(8,128)}}

ENTRY %e {
  ROOT %p = f32[16,256]{1,0:T(8,128)} parameter(0)
}
`},
	{Name: "LAY130", Meaning: "a parameter or the result of the program is not in the memory that " +
		"entry_computation_layout names",
		Example: `HloModule m, is_scheduled=true,
    entry_computation_layout={(f32[16,256]{1,0:T(8,128)})->f32[16,256]{1,0:T(8,128)}}

ENTRY %e {
  %p = f32[16,256]{1,0:T(8,128)S(1)} parameter(0)
  ROOT %n = f32[16,256]{1,0:T(8,128)} negate(%p)
}
`},
	{Name: "LAY131", Meaning: "inside of a fusion or an asynchronous operation an array is in another memory than " +
		"outside", Example: `HloModule m, is_scheduled=true

%f {
  %q = f32[16,256]{1,0:T(8,128)} parameter(0)
  ROOT %n = f32[16,256]{1,0:T(8,128)} negate(%q)
}

ENTRY %e {
  %p = f32[16,256]{1,0:T(8,128)} parameter(0)
  %a = f32[16,256]{1,0:T(8,128)S(1)} fusion(%p), kind=kLoop, calls=%f
  ROOT %b = f32[16,256]{1,0:T(8,128)} negate(%a)
}
`},
	{Name: "LAY132", Meaning: "initial value, parameters, root and result of a loop, branch or call are in different " +
		"memories", Example: `HloModule m, is_scheduled=true

%f {
  %q = f32[16,256]{1,0:T(8,128)} parameter(0)
  ROOT %n = f32[16,256]{1,0:T(8,128)} negate(%q)
}

ENTRY %e {
  %p = f32[16,256]{1,0:T(8,128)} parameter(0)
  %c = f32[16,256]{1,0:T(8,128)S(1)} call(%p), to_apply=%f
  ROOT %b = f32[16,256]{1,0:T(8,128)} negate(%c)
}
`},
	{Name: "LAY133", Meaning: "a value changes its memory where nothing is copied",
		Example: `HloModule m, is_scheduled=true

ENTRY %e {
  %p = f32[16,256]{1,0:T(8,128)} parameter(0)
  %n = f32[16,256]{1,0:T(8,128)S(1)} negate(%p)
  %b = f32[4096]{0:T(1024)} bitcast(%n)
  ROOT %a = f32[4096]{0:T(1024)} negate(%b)
}
`},
	{Name: "LAY134", Meaning: "more bytes are held at one time than fit the memory",
		Example: `HloModule m, is_scheduled=true

ENTRY %e {
  %p = f32[32768,1024]{1,0:T(8,128)} parameter(0)
  %n = f32[32768,1024]{1,0:T(8,128)S(1)} negate(%p)
  ROOT %a = f32[32768,1024]{1,0:T(8,128)} negate(%n)
}
`},
	{Name: "LAY135", Meaning: "memory that an instruction takes for itself is not aligned",
		Example: `HloModule m, is_scheduled=true

ENTRY %e {
  %p = f32[16,256]{1,0:T(8,128)} parameter(0)
  ROOT %n = f32[16,256]{1,0:T(8,128)} negate(%p),
      backend_config={"scoped_memory_configs":[{"memory_space":"1","offset":"100","size":"4096"}]}
}
`},
}
