//! The enums of the model by the names that files have for them.

use crate::{FixKind, Kind, Lifecycle, MatchIn, RelationKind, Scope, Severity};

macro_rules! names {
    ($type:ident { $($variant:ident = $name:literal $(| $other:literal)*),* $(,)? }) => {
        impl $type {
            /// Every value, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name that files have for it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name),*
                }
            }

            /// The value of that name; older names are known too.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name $(| $other)* => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

names!(Kind {
    Rule = "rule",
    Pattern = "pattern",
    Fact = "fact",
});

names!(Scope {
    Universal = "universal",
    ProjectSpecific = "project-specific",
    LanguageSpecific = "language-specific",
    TeamConvention = "team-convention",
});

names!(Lifecycle {
    Pending = "pending" | "draft",
    Staging = "staging" | "approved" | "auto_approved",
    Active = "active" | "published",
    Evolving = "evolving",
    Decaying = "decaying",
    Deprecated = "deprecated" | "rejected",
});

names!(Severity {
    Info = "info",
    Warning = "warning",
    Error = "error",
});

names!(MatchIn {
    Code = "code",
    Text = "text",
    Comments = "comments",
    Strings = "strings",
});

names!(FixKind {
    Replace = "replace",
    InsertBefore = "insert_before",
    InsertAfter = "insert_after",
    Remove = "remove",
});

names!(RelationKind {
    Inherits = "inherits",
    Implements = "implements",
    Calls = "calls",
    DependsOn = "depends_on" | "dependsOn",
    DataFlow = "data_flow" | "dataFlow",
    Conflicts = "conflicts",
    Extends = "extends",
    Related = "related",
    Alternative = "alternative",
    Prerequisite = "prerequisite",
    DeprecatedBy = "deprecated_by" | "deprecatedBy",
    Solves = "solves",
    Enforces = "enforces",
    References = "references",
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys;

    fn check<T: Copy + serde::Serialize>(
        all: &[T],
        table: &[&str],
        name: impl Fn(T) -> &'static str,
    ) {
        let names: Vec<&str> = all.iter().map(|value| name(*value)).collect();
        assert_eq!(names, table);
        for value in all {
            assert_eq!(serde_json::to_value(value).unwrap(), name(*value));
        }
    }

    #[test]
    fn names_are_those_of_the_key_table_and_of_json() {
        check(Kind::ALL, keys::KINDS, Kind::name);
        check(Scope::ALL, keys::SCOPES, Scope::name);
        check(Lifecycle::ALL, keys::LIFECYCLES, Lifecycle::name);
        check(Severity::ALL, keys::SEVERITIES, Severity::name);
        check(MatchIn::ALL, keys::MATCH_IN, MatchIn::name);
        check(FixKind::ALL, keys::FIX_KINDS, FixKind::name);
        check(RelationKind::ALL, keys::RELATIONS, RelationKind::name);
    }

    #[test]
    fn older_names_are_known() {
        assert_eq!(
            Lifecycle::from_name("auto_approved"),
            Some(Lifecycle::Staging)
        );
        assert_eq!(
            RelationKind::from_name("dependsOn"),
            Some(RelationKind::DependsOn)
        );
    }
}
