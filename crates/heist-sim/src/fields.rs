//! Costs by name: structs whose fields are all costs in nanoseconds.

/// A cost with its name.
#[derive(Debug)]
pub struct Field<'a> {
    /// The name.
    pub name: &'static str,
    /// A description.
    pub about: &'static str,
    /// The cost in nanoseconds.
    pub value: &'a mut f64,
}

/// Defines a struct of costs, with its default values and with a method `fields` that lists all
/// costs.
macro_rules! costs {
    (
        $(#[$attribute:meta])*
        pub struct $costs:ident;
        $($(#[doc = $doc:literal])+ $name:ident = $value:literal;)+
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $costs {
            $($(#[doc = $doc])+ pub $name: f64,)+
        }

        impl Default for $costs {
            fn default() -> $costs {
                $costs { $($name: $value,)+ }
            }
        }

        impl $costs {
            fn zero() -> $costs {
                $costs { $($name: 0.0,)+ }
            }

            /// Returns all costs with their names.
            pub fn fields(&mut self) -> Vec<$crate::fields::Field<'_>> {
                vec![$($crate::fields::Field {
                    name: stringify!($name),
                    about: concat!($($doc,)+).trim_start(),
                    value: &mut self.$name,
                },)+]
            }

            /// Returns an error if a cost is not between 0 and a second.
            pub(crate) fn check(&self) -> Result<(), $crate::machine::MachineError> {
                for field in self.clone().fields() {
                    // A second is far above any cost.
                    if !(0.0..=1e9).contains(field.value) {
                        return Err($crate::machine::MachineError::new(format!(
                            "the cost {} is {} ns, and not between 0 and a second",
                            field.name, field.value
                        )));
                    }
                }
                Ok(())
            }
        }
    };
}

pub(crate) use costs;
