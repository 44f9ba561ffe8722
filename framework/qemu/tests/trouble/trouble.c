// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel module that misbehaves shortly after it is loaded, in the way that its parameter `kind` names. To see what
 * pcieval reports, by hand:
 *
 *   ci/guest compile FOLDER debug
 *   pcieval run --target qemu --kernel debug --modules FOLDER --append pcieval.trouble=kind=order ...
 */
#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

static char *kind = "none";
module_param(kind, charp, 0444);

static volatile int shift = 40, zero;
static void *volatile lost;
static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

static void warn(void)
{
	WARN(1, "trouble: a warning\n");
}

static void bug(void)
{
	BUG();
}

static void oops(void)
{
	*(volatile int *)(long)zero = 1;
}

static void die(void)
{
	panic("trouble: a panic");
}

static void hang(void)
{
	local_irq_disable();
	for (;;)
		;
}

/* One spare byte behind 40 is inside the slab's object, and outside of what was asked for. */
static void out_of_bounds(void)
{
	volatile char *p = kmalloc(40, GFP_KERNEL);

	if (p)
		p[41 + zero] = 1;
	kfree((void *)p);
}

static void use_after_free(void)
{
	volatile char *p = kmalloc(40, GFP_KERNEL);

	kfree((void *)p);
	if (p)
		p[8] = 1;
}

static void undefined(void)
{
	lost = (void *)(long)(1 << shift);
}

static void sleep_in_atomic(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	mutex_lock(&first);
	mutex_unlock(&first);
	spin_unlock(&lock);
}

static void both(struct mutex *a, struct mutex *b)
{
	mutex_lock(a);
	mutex_lock(b);
	mutex_unlock(b);
	mutex_unlock(a);
}

static void lock_order(void)
{
	both(&first, &second);
	both(&second, &first);
}

static void over_released(void)
{
	refcount_t count = REFCOUNT_INIT(1);

	refcount_dec(&count);
}

static void list_twice(void)
{
	static LIST_HEAD(head);
	static struct list_head entry;

	list_add(&entry, &head);
	list_add(&entry, &head);
}

static void nothing(struct timer_list *timer)
{
}

static void free_active(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	if (!timer)
		return;
	timer_setup(timer, nothing, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer);
}

static irqreturn_t not_mine(int irq, void *data)
{
	return IRQ_NONE;
}

/* Interrupt 11 of QEMU's virt machine belongs to nobody: made pending by hand, until the kernel has enough of it. */
static void nobody_cared(void)
{
	struct irq_data *d;
	int irq;

	for (irq = 1; irq < 256; irq++)
		if ((d = irq_get_irq_data(irq)) && !irq_has_action(irq) && !irq_is_percpu_devid(irq) &&
		    !request_irq(irq, not_mine, 0, "trouble", NULL))
			break;
	for (int i = 0; irq < 256 && i < 100500; i++)
		irq_set_irqchip_state(irq, IRQCHIP_STATE_PENDING, true);
}

/* Allocates until memory runs out. */
static void out_of_memory(void)
{
	for (;;) {
		void **p = kmalloc(65536, GFP_KERNEL | __GFP_NOFAIL);

		*p = lost;
		lost = p;
	}
}

static void leak(void)
{
	static struct list_head *volatile p;

	p = kmalloc(200, GFP_KERNEL);
	p = NULL;
}

static const struct {
	const char *kind;
	void (*make)(void);
} troubles[] = {
	{"warn", warn},
	{"bug", bug},
	{"oops", oops},
	{"panic", die},
	{"hang", hang},
	{"bounds", out_of_bounds},
	{"free", use_after_free},
	{"shift", undefined},
	{"atomic", sleep_in_atomic},
	{"order", lock_order},
	{"refcount", over_released},
	{"list", list_twice},
	{"timer", free_active},
	{"irq", nobody_cared},
	{"memory", out_of_memory},
	{"leak", leak},
};

static void work(struct work_struct *w)
{
	for (int i = 0; i < ARRAY_SIZE(troubles); i++)
		if (!strcmp(kind, troubles[i].kind))
			troubles[i].make();
}
static DECLARE_DELAYED_WORK(later, work);

static int __init trouble_init(void)
{
	schedule_delayed_work(&later, 2);
	return 0;
}
module_init(trouble_init);

static void __exit trouble_exit(void)
{
	cancel_delayed_work_sync(&later);
}
module_exit(trouble_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Does what a driver should not");
