//! Functions of the runtime that the Basis may call: `_prim "rt.name" : type`.
//!
//! Compiled code calls these functions in the C calling convention with the worker first: `extern "C" fn(*mut Worker, args...) -> result`.
//! A function that allocates may collect, so it keeps its values in handles of the worker. A function that raises sets the worker's pending
//! exception and returns any value. If `raises` is true, compiled code checks for this exception after the call. If a function does not
//! raise, does not return a pointer, and has the effect `Pure`, `Read` or `Write`, compiled code calls the function without a thunk. So
//! such a function must neither allocate nor stop.

use crate::basis::{
    atomic, constants, conversions, filesys, hosts, intinf, io, last_error, map, math, posix, real,
    socket, strings, system,
};
use crate::collect::promote;
use crate::entry::waits;
use crate::fork::scopes;
use crate::thread::{self, choices, fibers, watches};
use crate::value::effect::Effect;
use crate::value::rep::Rep;
use crate::wait::lazy;

/// A function of the runtime.
pub struct Function {
    /// The function's name in the Basis.
    pub name: &'static str,
    /// The representations of the function's arguments. A tuple is flattened.
    pub args: &'static [Rep],
    /// The representation of the function's result; `None` for `unit`.
    pub result: Option<Rep>,
    /// The function's effect, apart from its result. A function with the effect `Pure` may allocate.
    pub effect: Effect,
    /// Whether the function may set the pending exception.
    pub raises: bool,
    /// A function that returns the address of this function.
    pub address: usize_fn,
}

/// A function that returns the address of another function, so that the table can be a constant.
#[allow(non_camel_case_types)]
pub type usize_fn = fn() -> *const u8;

macro_rules! functions {
    ($($name:literal ($($arg:ident)*) $($result:ident)?, $effect:ident $($raises:ident)?, $function:path;)*) => {
        &[$(Function {
            name: concat!("rt.", $name),
            args: &[$(Rep::$arg),*],
            result: functions!(@result $($result)?),
            effect: Effect::$effect,
            raises: functions!(@raises $($raises)?),
            address: || $function as *const u8,
        },)*]
    };
    (@result) => { None };
    (@result $rep:ident) => { Some(Rep::$rep) };
    (@raises) => { false };
    (@raises raises) => { true };
}

/// The number of `rt.String.eq`. Compiled code handles most cases itself, and does not call this function in these cases.
pub const STRING_EQ: u16 = 0;

/// All functions of the runtime.
pub static FUNCTIONS: &[Function] = functions! {
    "String.eq" (Ptr Ptr) Int, Pure, strings::equal;
    "String.compare" (Ptr Ptr) Int, Pure, strings::compare;
    "Bytes.copy" (Ptr Int Ptr Int Int), Write, strings::copy;
    "Array.empty" () Ptr, Alloc, strings::empty_array;
    "Cells.all" () Ptr, Read, strings::cells;
    "IntInf.eq" (Ptr Ptr) Int, Pure, intinf::equal;
    "IntInf.add" (Ptr Ptr) Ptr, Pure, intinf::add;
    "IntInf.sub" (Ptr Ptr) Ptr, Pure, intinf::sub;
    "IntInf.mul" (Ptr Ptr) Ptr, Raise raises, intinf::mul;
    "IntInf.neg" (Ptr) Ptr, Pure, intinf::neg;
    "IntInf.div" (Ptr Ptr) Ptr, Raise raises, intinf::div;
    "IntInf.mod" (Ptr Ptr) Ptr, Raise raises, intinf::modulo;
    "IntInf.quot" (Ptr Ptr) Ptr, Raise raises, intinf::quot;
    "IntInf.rem" (Ptr Ptr) Ptr, Raise raises, intinf::rem;
    "IntInf.compare" (Ptr Ptr) Int, Pure, intinf::compare;
    "IntInf.fromInt" (Int) Ptr, Pure, conversions::from_int;
    "IntInf.fromWord" (Int) Ptr, Pure, conversions::from_word;
    "IntInf.toInt" (Ptr) Int, Raise raises, conversions::to_int;
    "IntInf.toWord" (Ptr) Int, Pure, conversions::to_word;
    "IntInf.toReal" (Ptr) Real, Pure, conversions::to_real;
    "IntInf.fromReal" (Real) Ptr, Pure, conversions::from_real;
    "IntInf.fmt" (Ptr Int) Ptr, Raise raises, conversions::fmt;
    "IntInf.parse" (Ptr Int) Ptr, Pure, conversions::parse;
    "IntInf.pow" (Ptr Int) Ptr, Raise raises, intinf::pow;
    "IntInf.log2" (Ptr) Int, Pure, intinf::log2;
    "IntInf.andb" (Ptr Ptr) Ptr, Pure, intinf::and;
    "IntInf.orb" (Ptr Ptr) Ptr, Pure, intinf::or;
    "IntInf.xorb" (Ptr Ptr) Ptr, Pure, intinf::xor;
    "IntInf.shl" (Ptr Int) Ptr, Raise raises, intinf::shl;
    "IntInf.sar" (Ptr Int) Ptr, Pure, intinf::sar;
    "Real.rem" (Real Real) Real, Pure, real::rem;
    "Real.man" (Real) Real, Pure, real::man;
    "Real.exp" (Real) Int, Pure, real::exp;
    "Real.scale" (Real Int) Real, Pure, real::scale;
    "Real.sci" (Real Int) Ptr, Pure, real::sci;
    "Real.fix" (Real Int) Ptr, Pure, real::fix;
    "Real.gen" (Real Int) Ptr, Pure, real::gen_digits;
    "Real.shortest" (Real) Ptr, Pure, real::shortest;
    "Real.parse" (Ptr) Real, Pure, real::parse;
    "Math.sin" (Real) Real, Pure, math::sin;
    "Math.cos" (Real) Real, Pure, math::cos;
    "Math.tan" (Real) Real, Pure, math::tan;
    "Math.asin" (Real) Real, Pure, math::asin;
    "Math.acos" (Real) Real, Pure, math::acos;
    "Math.atan" (Real) Real, Pure, math::atan;
    "Math.exp" (Real) Real, Pure, math::exp;
    "Math.ln" (Real) Real, Pure, math::ln;
    "Math.log10" (Real) Real, Pure, math::log10;
    "Math.sinh" (Real) Real, Pure, math::sinh;
    "Math.cosh" (Real) Real, Pure, math::cosh;
    "Math.tanh" (Real) Real, Pure, math::tanh;
    "Math.atan2" (Real Real) Real, Pure, math::atan2;
    "Math.pow" (Real Real) Real, Pure, math::pow;
    "Io.open" (Ptr Int) Int, Any, io::open;
    "Io.close" (Int) Int, Any, io::close;
    "Io.read" (Int Int) Ptr, Any, io::read;
    "Io.write" (Int Ptr) Int, Any, io::write;
    "Io.writeRange" (Int Ptr Int Int) Int, Any, io::write_range;
    "Io.writeChar" (Int Int) Int, Any, io::write_char;
    "Io.flush" (Int) Int, Any, io::flush;
    "Io.bufferMode" (Int) Int, Any, io::buffer_mode;
    "Io.setBufferMode" (Int Int), Any, io::set_buffer_mode;
    "Io.print" (Ptr), Any, io::print;
    "Io.lastError" () Int, Any, last_error;
    "Io.descriptor" (Int) Int, Any, io::descriptor;
    "Io.ready" (Int Int) Int, Any, socket::ready;
    "System.argumentCount" () Int, Any, system::argument_count;
    "System.argument" (Int) Ptr, Any, system::argument;
    "System.programName" () Ptr, Any, system::program_name;
    "System.exit" (Int), Any, system::exit;
    "System.leave" (Int), Any, system::leave;
    "System.environment" (Ptr) Ptr, Any, system::environment;
    "System.errorMessage" (Int) Ptr, Pure, system::error_message;
    "System.errorName" (Int) Ptr, Pure, system::error_name;
    "System.errorNumber" (Ptr) Int, Pure, system::error_of_name;
    "System.command" (Ptr) Int, Any, system::command;
    "System.sleep" (Int), Any, system::sleep;
    "System.now" () Int, Any, system::now;
    "System.monotonic" () Int, Any, system::monotonic;
    "System.userTime" () Int, Any, system::user_time;
    "System.systemTime" () Int, Any, system::system_time;
    "System.collectorTime" () Int, Any, system::collector_time;
    "System.collect" (), Any, system::collect;
    "System.localOffset" (Int) Int, Any, system::local_offset;
    "FileSys.entries" (Ptr) Ptr, Any, filesys::entries;
    "FileSys.chDir" (Ptr) Int, Any, filesys::change;
    "FileSys.getDir" () Ptr, Any, filesys::current;
    "FileSys.mkDir" (Ptr) Int, Any, filesys::make;
    "FileSys.rmDir" (Ptr) Int, Any, filesys::remove_dir;
    "FileSys.isDir" (Ptr) Int, Any, filesys::is_dir;
    "FileSys.isLink" (Ptr) Int, Any, filesys::is_link;
    "FileSys.readLink" (Ptr) Ptr, Any, filesys::read_link;
    "FileSys.realPath" (Ptr) Ptr, Any, filesys::real_path;
    "FileSys.modTime" (Ptr) Int, Any, filesys::modified;
    "FileSys.setTime" (Ptr Int) Int, Any, filesys::set_time;
    "FileSys.fileSize" (Ptr) Int, Any, filesys::size;
    "FileSys.remove" (Ptr) Int, Any, filesys::remove;
    "FileSys.rename" (Ptr Ptr) Int, Any, filesys::rename;
    "FileSys.access" (Ptr Int) Int, Any, filesys::access;
    "FileSys.tmpName" () Ptr, Any, system::temporary;
    "FileSys.device" (Ptr) Int, Any, filesys::device;
    "FileSys.inode" (Ptr) Int, Any, filesys::inode;
    "System.isDst" (Int) Int, Any, system::is_dst;
    "System.zone" (Int) Ptr, Any, system::zone;
    "System.atExit" (Ptr), Any, system::at_exit;
    "Posix.constant" (Ptr) Int, Pure, constants::constant;
    "Posix.open" (Ptr Int Int) Int, Any, posix::open;
    "Posix.close" (Int) Int, Any, posix::close;
    "Posix.read" (Int Int) Ptr, Any, posix::read;
    "Posix.write" (Int Ptr Int Int) Int, Any, posix::write;
    "Posix.seek" (Int Int Int) Int, Any, posix::seek;
    "Posix.truncate" (Int Int) Int, Any, posix::truncate;
    "Posix.sync" (Int) Int, Any, posix::sync;
    "Posix.pipe" () Int, Any, posix::pipe;
    "Posix.dup" (Int Int) Int, Any, posix::dup;
    "Posix.dup2" (Int Int) Int, Any, posix::dup2;
    "Posix.control" (Int Int Int) Int, Any, posix::control;
    "Posix.stat" (Ptr Int) Ptr, Any, posix::stat;
    "Posix.fstat" (Int) Ptr, Any, posix::fstat;
    "Posix.chmod" (Ptr Int) Int, Any, posix::chmod;
    "Posix.fchmod" (Int Int) Int, Any, posix::fchmod;
    "Posix.chown" (Ptr Int Int) Int, Any, posix::chown;
    "Posix.fchown" (Int Int Int) Int, Any, posix::fchown;
    "Posix.utime" (Ptr Int Int) Int, Any, posix::utime;
    "Posix.mkdir" (Ptr Int) Int, Any, posix::make_folder;
    "Posix.mkfifo" (Ptr Int) Int, Any, posix::make_fifo;
    "Posix.link" (Ptr Ptr) Int, Any, posix::link;
    "Posix.symlink" (Ptr Ptr) Int, Any, posix::symlink;
    "Posix.umask" (Int) Int, Any, posix::umask;
    "Posix.pathconf" (Ptr Int) Int, Any, posix::pathconf;
    "Posix.fpathconf" (Int Int) Int, Any, posix::fpathconf;
    "Posix.sysconf" (Int) Int, Any, posix::sysconf;
    "Posix.isTerminal" (Int) Int, Any, posix::is_terminal;
    "Posix.about" (Int Int) Ptr, Any, posix::about;
    "Posix.identity" (Int) Int, Any, posix::identity;
    "Posix.kill" (Int Int) Int, Any, posix::kill;
    "Posix.setSession" () Int, Any, posix::set_session;
    "Posix.setGroup" (Int Int) Int, Any, posix::set_group;
    "Posix.setUser" (Int) Int, Any, posix::set_user;
    "Posix.setUserGroup" (Int) Int, Any, posix::set_user_group;
    "Posix.exec" (Ptr Ptr Ptr Int Int) Int, Any, posix::exec;
    "Posix.spawn" (Ptr Ptr Ptr Int Int Int Int) Int, Any, posix::spawn;
    "Posix.wait" (Int Int) Int, Any, posix::wait;
    "Socket.socket" (Int Int Int) Int, Any, socket::socket;
    "Socket.pair" (Int Int Int) Int, Any, socket::pair;
    "Socket.bind" (Int Ptr) Int, Any, socket::bind;
    "Socket.listen" (Int Int) Int, Any, socket::listen;
    "Socket.connect" (Int Ptr) Int, Any, socket::connect;
    "Socket.accept" (Int) Ptr, Any, socket::accept;
    "Socket.receive" (Int Int Int) Ptr, Any, socket::receive;
    "Socket.receiveInto" (Int Ptr Int Int Int) Int, Any, socket::receive_into;
    "Socket.receiveFrom" (Int Int Int) Ptr, Any, socket::receive_from;
    "Socket.send" (Int Ptr Int Int Int) Int, Any, socket::send;
    "Socket.sendTo" (Int Ptr Ptr Int Int Int) Int, Any, socket::send_to;
    "Socket.address" (Int Int) Ptr, Any, socket::address;
    "Socket.option" (Int Int Int) Int, Any, socket::option;
    "Socket.setOption" (Int Int Int Int) Int, Any, socket::set_option;
    "Socket.linger" (Int) Int, Any, socket::linger;
    "Socket.setLinger" (Int Int) Int, Any, socket::set_linger;
    "Socket.unread" (Int) Int, Any, socket::unread;
    "Socket.atMark" (Int) Int, Any, socket::at_mark;
    "Socket.shutdown" (Int Int) Int, Any, socket::shutdown;
    "Net.host" (Ptr Int) Ptr, Any, hosts::host;
    "Net.hostOf" (Ptr) Ptr, Any, hosts::host_of;
    "Net.hostName" () Ptr, Any, hosts::host_name;
    "Net.protocol" (Ptr) Ptr, Any, hosts::protocol;
    "Net.protocolOf" (Int) Ptr, Any, hosts::protocol_of;
    "Net.service" (Ptr Ptr) Ptr, Any, hosts::service;
    "Net.serviceOf" (Int Ptr) Ptr, Any, hosts::service_of;
    "Net.parse6" (Ptr) Ptr, Any, hosts::parse6;
    "Net.text6" (Ptr) Ptr, Any, hosts::text6;
    "Map.open" (Ptr Int) Int, Any, map::open;
    "Map.close" (Ptr) Int, Any, map::close;
    "Map.size" (Ptr) Int, Read, map::size;
    "Map.get" (Ptr Int) Int, Read, map::get;
    "Map.set" (Ptr Int Int) Int, Write, map::set;
    "Map.load" (Ptr Int Ptr Int Int) Int, Write, map::load;
    "Map.store" (Ptr Int Ptr Int Int) Int, Write, map::store;
    "Lazy.claim" (Ptr Ptr) Int, Write, lazy::claim;
    "Lazy.settleOwn" (Ptr Ptr) Int, Write, lazy::settle_own;
    "Lazy.settle" (Ptr Ptr), Any, lazy::settle;
    "Lazy.wait" (Ptr) Int, Any, waits::wait;
    "Cancel.enter" (Int Ptr) Ptr, Any, scopes::enter;
    "Cancel.leave" () Int, Write, scopes::leave_newest;
    "Cancel.cancel" (Int), Write, scopes::cancel;
    "Cancel.isLive" (Int) Int, Write, scopes::is_live;
    "Race.begin" (Ptr) Ptr, Any, scopes::begin_race;
    "Race.win" (), Write, scopes::win;
    "Race.end" (), Write, scopes::end_race;
    "Race.isLost" () Int, Any, scopes::is_lost;
    "Thread.spawn" (Ptr) Ptr, Any, thread::spawn;
    "Thread.current" () Ptr, Any, thread::current;
    "Thread.number" (Ptr) Int, Read, thread::number;
    "Thread.park" () Int, Any, waits::park;
    "Thread.unpark" (Ptr), Write, thread::unpark;
    "Thread.giveWay" () Int, Any, waits::give_way;
    "Thread.mask" (Int), Write, thread::mask;
    "Thread.isDue" () Int, Write, thread::is_due;
    "Thread.isLeft" () Int, Write, thread::is_left;
    "Thread.depth" () Int, Write, thread::depth;
    "Thread.alarm" (Ptr Int) Int, Write, thread::alarm;
    "Thread.unsetAlarm" (Int), Write, thread::unset_alarm;
    "Thread.watch" (Ptr Int Int) Int, Write, watches::watch;
    "Thread.unwatch" (Int), Write, watches::unwatch;
    "Thread.isWatched" (Int) Int, Write, watches::is_watched;
    "Thread.closed" (Int), Write, watches::closed;
    "Thread.here" (Int) Int, Any, thread::here;
    "Thread.waitsFor" (Int), Write, thread::waits_for;
    "Thread.isStuck" () Int, Write, thread::is_stuck;
    "Thread.stuck" () Ptr, Any, thread::stuck;
    "Thread.uncaught" (Ptr Int Int), Write, thread::uncaught;
    "Thread.endAll" (), Write, thread::end_all;
    "Thread.end" (), Any, fibers::end;
    "Thread.program" () Int, Read, fibers::program;
    "Thread.onPreempt" (Ptr), Any, fibers::on_preempt;
    "Thread.preemptible" (Int), Any, fibers::preemptible;
    "Thread.preempt" (Ptr), Any, fibers::preempt;
    "Thread.goOn" (Ptr Int) Int, Any, fibers::go_on;
    "Thread.beginChoice" (Ptr) Int, Write, choices::begin_choice;
    "Thread.claim" (Ptr Int) Int, Write, choices::claim;
    "Thread.unclaim" (Ptr), Write, choices::unclaim;
    "Thread.decide" (Ptr Int), Write, choices::decide;
    "Thread.decision" (Ptr) Int, Read, choices::decision;
    "Thread.hand" (Ptr Ptr), Any, choices::hand;
    "Thread.given" (Ptr) Ptr, Any, choices::given;
    "Thread.keep" (Ptr Ptr), Any, choices::keep;
    "Thread.kept" (Ptr) Ptr, Any, choices::kept;
    "Atomic.swap" (Ptr Int Ptr Ptr) Ptr, Any, atomic::swap;
    "Par.workers" () Int, Read, atomic::workers;
    "Par.worker" () Int, Read, atomic::number;
    "Par.promote" (Ptr) Ptr, Any, promote::promote_result;
};

/// Returns the number of the function with this name.
#[must_use]
pub fn by_name(name: &str) -> Option<u16> {
    FUNCTIONS
        .iter()
        .position(|function| function.name == name)
        .map(|at| at as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_of_strings_has_its_number() {
        assert_eq!(by_name("rt.String.eq"), Some(STRING_EQ));
    }
}
