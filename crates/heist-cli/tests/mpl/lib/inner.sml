structure Hidden = struct val x = 1 end
infix 3 +++
fun a +++ b = a * 10 + b
structure Helper = struct fun twice x = x + x end
